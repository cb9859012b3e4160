package codex

// Limits of what a parser remembers, in entries. The oldest is evicted first; then a repeat of it is taken for new.
const (
	maxCalls     = 1 << 14 // tool calls, to pair them with results
	maxMessages  = 1 << 12 // messages that were shown, to distinguish them from those that were not
	maxResponses = 1 << 12 // model responses, to count their tokens once
	maxPrompts   = 1 << 10 // prompts that are under one of their two record types
	maxAgents    = 1 << 10 // sub-agents, to report their end under the call that started them
)

// The domains of hashes, so that a call id never meets a text.
const (
	domainCall byte = iota
	domainBody
	domainMessage
	domainResponse
	domainPrompt
	domainAgent
)
