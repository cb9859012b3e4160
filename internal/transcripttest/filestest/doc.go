// Package filestest is what the tests of tail and poll share: a [Folder] of files, a [Sink] that keeps what it receives of them, a
// store of checkpoints ([Memory], [Walking]), a disk that fails ([Faults]) and a system without watches ([Refusing]).
//
// A test that polls alone runs in a synctest bubble, where waiting takes no time; one that watches folders needs real time and a
// patient Sink.
package filestest
