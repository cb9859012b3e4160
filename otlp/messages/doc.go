// Package messages keeps what an agent and its model say to each other, as the GenAI conventions have it on spans
// (gen_ai.input.messages, gen_ai.output.messages and gen_ai.system_instructions, v1.41.0).
//
// A [Conversation] is that of an agent; an [Exchange] the part of it that one model call is. Contents are bounded when they
// are added, and what has no room is left out and marked. Nothing here is used unless messages are captured.
package messages
