package claude

import "github.com/tailspan/tailspan/parser/internal/scan"

// Limits of what a parser remembers, in entries. The oldest is evicted first; a later repetition of it then counts as new.
const (
	maxSeen           = 1 << 16 // lines and texts, to omit repetitions
	maxCalls          = 1 << 14 // tool calls, to pair them with results
	maxMessages       = 1 << 12 // model messages, to count their tokens once
	maxThreads        = 1 << 10 // agents of a stream, to distinguish answers
	maxTasks          = 1 << 10 // background tasks, and Task prompts of 1.x
	maxSidechainLines = 1 << 14 // lines of 1.x sub-agents, to find their call
)

// The domains of hashes, so that a uuid never collides with a text.
const (
	domainLine byte = iota
	domainText
	domainCall
	domainNotice
	domainBody
	domainMessage
	domainTask
	domainPrompt
	domainAnswer
	domainThread
)

// idKey returns the key of an ID or another text. It does not depend on how the text is escaped.
func (l *line) idKey(domain byte, id scan.Value) uint64 { return l.Keys.ID(domain, id.Body()) }
