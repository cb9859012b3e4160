// Package messages records what an agent and its model say to each other, in the form that the GenAI conventions define
// for spans (gen_ai.input.messages, gen_ai.output.messages and gen_ai.system_instructions, v1.41.0).
//
// A [Conversation] belongs to an agent. An [Exchange] is the part of one model call. Content is bounded when it is
// added; what exceeds the limit is omitted and marked. The package is used only when messages are captured.
package messages
