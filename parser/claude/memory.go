package claude

import "github.com/tailspan/tailspan/parser/internal/scan"

// Limits of what a parser remembers, in entries. The oldest is evicted first; then a repeat of it is taken for new.
const (
	maxSeen           = 1 << 16 // lines and texts, to leave out repeats
	maxCalls          = 1 << 14 // tool calls, to pair them with results
	maxMessages       = 1 << 12 // model messages, to count their tokens once
	maxThreads        = 1 << 10 // agents of a stream, to distinguish answers
	maxTasks          = 1 << 10 // background tasks, and Task prompts of 1.x
	maxSidechainLines = 1 << 14 // lines of 1.x sub-agents, to find their call
)

// The domains of hashes, so that a uuid never meets a text.
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

// idKey makes a key of an id or another text, however it is escaped.
func (l *line) idKey(domain byte, id scan.Value) uint64 { return l.Keys.ID(domain, id.Body()) }
