package opencode

import (
	"github.com/tailspan/tailspan/parser/internal/fields"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// record is one object of a line as raw spans. Nothing is interpreted while it is read, since the member that shows
// its form may come last and its end may be missing.
type record struct {
	columns
	part    part // of a line of the stream
	hasPart bool

	fields *fields.Table
}

// columns holds the members that are kept unparsed.
type columns struct {
	kind, timestamp, session, failure, rejected scan.Value // a line of the stream

	table, id, sessionID, messageID, aggregate, data  scan.Value // a row
	created                                           scan.Value
	parentID, directory, title, version, agent, model scan.Value // a row of table session

	info, messages scan.Value // an exported session
	properties     scan.Value // an event of the server
}

func newRecord() *record {
	r := new(record)
	r.part.bind()
	r.fields = fields.New(
		"type", &r.kind, "timestamp", &r.timestamp, "sessionID", &r.session, "error", &r.failure, "rejected", &r.rejected,
		"table", &r.table, "id", &r.id, "session_id", &r.sessionID, "message_id", &r.messageID, "aggregate_id", &r.aggregate,
		"data", &r.data, "time_created", &r.created, "parent_id", &r.parentID, "directory", &r.directory, "title", &r.title,
		"version", &r.version, "agent", &r.agent, "model", &r.model, "info", &r.info, "messages", &r.messages,
		"properties", &r.properties, "part", func(s *scan.Scanner) { r.hasPart = r.part.read(s) },
	)
	return r
}

// read reads one object from s. It returns false if the object is malformed; r is then invalid.
func (r *record) read(s *scan.Scanner) bool {
	r.columns, r.hasPart = columns{}, false
	r.part.reset()
	return r.fields.Read(s) && s.Err() == nil
}

// messageInfo is a message without its parts, as raw spans.
type messageInfo struct {
	messageValues
	fields *fields.Table
}

type messageValues struct {
	id, sessionID, role, parentID scan.Value
	model, provider, summary      scan.Value
	cost, failure                 scan.Value
	created, completed            scan.Value
	tokens                        tokens
}

func (m *messageInfo) bind() {
	m.fields = fields.New(
		"id", &m.id, "sessionID", &m.sessionID, "role", &m.role, "parentID", &m.parentID, "modelID", &m.model, "providerID", &m.provider,
		"summary", &m.summary, "cost", &m.cost, "error", &m.failure, "time.created", &m.created, "time.completed", &m.completed,
		"tokens", m.tokens.read,
	)
}

// read reads one message from s.
func (m *messageInfo) read(s *scan.Scanner) {
	m.messageValues = messageValues{}
	m.fields.Read(s)
}

// sessionInfo is a session, read from its row or its JSON form.
type sessionInfo struct {
	id, parentID, directory, title, version, agent, model, created scan.Value
}

// fields returns the table for the JSON form, whose path is at.
func (i *sessionInfo) fields(at string) *fields.Table {
	return fields.New(
		at+"id", &i.id, at+"parentID", &i.parentID, at+"directory", &i.directory, at+"title", &i.title, at+"version", &i.version,
		at+"agent", &i.agent, at+"model", &i.model, at+"time.created", &i.created,
	)
}

// part is one part of a message as raw spans, of any type. All forms of the format share it.
type part struct {
	values
	fields *fields.Table
	taken  bool // it was read since the last reset
}

// values holds the contents of a part.
type values struct {
	kind, id, messageID, sessionID scan.Value

	text, synthetic, ignored  scan.Value // text, reasoning
	time, start, end, created scan.Value
	continued                 scan.Value // metadata.compaction_continue

	tool, callID scan.Value
	state        toolState

	reason, cost scan.Value // step-finish
	tokens       tokens

	prompt         scan.Value // subtask
	auto, overflow scan.Value // why a conversation was compacted
	attempt        scan.Value // retry
	failure        scan.Value
}

// toolState is the state of a call.
type toolState struct {
	status, input, output, failure scan.Value
	args                           scan.Members // of input
	start, end                     scan.Value

	exit, truncated, child, interrupted scan.Value // metadata
	lineStart, lineEnd                  scan.Value // metadata.display
}

func (p *part) bind() {
	st := &p.state
	p.fields = fields.New(
		"type", &p.kind, "id", &p.id, "messageID", &p.messageID, "sessionID", &p.sessionID, "text", &p.text, "synthetic", &p.synthetic,
		"ignored", &p.ignored, "time", &p.time, "time.start", &p.start, "time.end", &p.end, "time.created", &p.created,
		"metadata.compaction_continue", &p.continued, "tool", &p.tool, "callID", &p.callID, "reason", &p.reason, "cost", &p.cost,
		"tokens", p.tokens.read, "prompt", &p.prompt, "auto", &p.auto, "overflow", &p.overflow, "attempt", &p.attempt, "error", &p.failure,
		"state.status", &st.status, "state.input", &st.input, "state.input", &st.args, "state.output", &st.output, "state.error", &st.failure,
		"state.time.start", &st.start, "state.time.end", &st.end, "state.metadata.exit", &st.exit, "state.metadata.truncated", &st.truncated,
		"state.metadata.sessionId", &st.child, "state.metadata.interrupted", &st.interrupted,
		"state.metadata.display.lineStart", &st.lineStart, "state.metadata.display.lineEnd", &st.lineEnd,
	)
}

// reset clears p and keeps its memory.
func (p *part) reset() {
	if p.taken { // an export holds many parts
		args := p.state.args[:0]
		p.values = values{} // in place: creating and copying a literal that keeps args costs 1.5 KB per line
		p.state.args, p.taken = args, false
	}
}

// read reads one part from s. It returns false for anything else.
func (p *part) read(s *scan.Scanner) bool {
	p.reset()
	p.taken = true
	return p.fields.Read(s)
}
