// Package program describes the agent program that writes a stream.
//
// An [Agent] is what is known of a program before any line is read: its names, and how its formats number things. A [Program] adds what the
// start lines of one stream contain: the version, the name of the agent, whether the stream is a transcript ([Program.NoteStart]), and the
// attributes of the current session ([Program.NoteSession]). The resource of the stream's output has the version, so later runs may have
// another one.
//
// The package does not know runs or spans. A Program is not safe for concurrent use, an Agent is immutable.
package program
