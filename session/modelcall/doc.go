// Package modelcall has the model calls of an agent, one after the other.
//
// A [Thread] is what lies between them: the input that the next one answers, the models that were asked, the conversation. It
// begins a [Call] with the first part of a message; the call takes the parts and the usage that follow, and gives the value of
// its span in the end.
//
//	call  none → open      the first part of a message ([Thread.Begin])
//	      open → open      a further part or the usage of that message ([Call.Is], [Call.Take])
//	      open → over      the first part of another message, or the end of the agent; its owner writes [Call.Chat]
//
// The package does not know to which run an agent belongs, nor how ids are made. Its values are used by one goroutine at a time.
package modelcall
