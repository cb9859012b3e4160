// Package modelcall tracks the consecutive model calls of an agent.
//
// A [Thread] holds what the calls share: the input that the next call answers, the models in use and the conversation.
// It begins a [Call] with the first part of a message. The call collects the following parts and their usage, and
// finally returns its span.
//
//	call  none → open      the first part of a message ([Thread.Begin])
//	      open → open      a further part or the usage of that message ([Call.Is], [Call.Take])
//	      open → over      the first part of another message, or the end of the agent; its owner writes [Call.Chat]
//
// The package does not know the run of an agent or how IDs are made. Its types are not safe for concurrent use.
package modelcall
