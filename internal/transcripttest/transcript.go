// Package transcripttest makes up sessions of Claude Code, for measurements: transcripts of any size, whose texts have the
// sizes of real ones and whose words mean nothing.
package transcripttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// transcript is one session: prompts, messages of thinking, text and one to three tool calls
// (the usage repeated on each line of a message, as the program does), and results that match the calls, in running time.
type transcript struct {
	rng     *rand.Rand
	json    *json.Encoder
	session string
	parent  *string
	cwd     string
	clock   time.Time
}

// The fields of a line, in the order in which Claude Code 2.1 writes them.
type (
	transcriptLine struct {
		ParentUUID    *string    `json:"parentUuid"`
		IsSidechain   bool       `json:"isSidechain"`
		PromptID      string     `json:"promptId,omitempty"`
		UserType      string     `json:"userType"`
		CWD           string     `json:"cwd"`
		SessionID     string     `json:"sessionId"`
		Version       string     `json:"version"`
		GitBranch     string     `json:"gitBranch"`
		Type          string     `json:"type"`
		Message       any        `json:"message,omitempty"`
		RequestID     string     `json:"requestId,omitempty"`
		Subtype       string     `json:"subtype,omitempty"`
		Content       string     `json:"content,omitempty"`
		ToolUseResult *toolStdio `json:"toolUseResult,omitempty"`
		UUID          string     `json:"uuid"`
		Timestamp     string     `json:"timestamp"`
	}
	modelMessage struct {
		ID           string  `json:"id"`
		Type         string  `json:"type"`
		Role         string  `json:"role"`
		Model        string  `json:"model"`
		Content      []block `json:"content"`
		StopReason   string  `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
		Usage        usage   `json:"usage"`
	}
	userMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	block struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking,omitempty"`
		Signature string `json:"signature,omitempty"`
		Text      string `json:"text,omitempty"`
		ID        string `json:"id,omitempty"`
		Name      string `json:"name,omitempty"`
		Input     any    `json:"input,omitempty"`
	}
	resultBlock struct {
		ToolUseID string `json:"tool_use_id"`
		Type      string `json:"type"`
		Content   string `json:"content"`
		IsError   bool   `json:"is_error"`
	}
	toolStdio struct {
		Stdout      string `json:"stdout"`
		Stderr      string `json:"stderr"`
		Interrupted bool   `json:"interrupted"`
		IsImage     bool   `json:"isImage"`
	}
	usage struct {
		Input       int    `json:"input_tokens"`
		CacheWrite  int    `json:"cache_creation_input_tokens"`
		CacheRead   int    `json:"cache_read_input_tokens"`
		Output      int    `json:"output_tokens"`
		ServiceTier string `json:"service_tier"`
	}
)

// maxStdout is how much of a result Claude Code repeats outside of the message, in bytes.
const maxStdout = 6000

// Write writes a session of at least size bytes and returns its number of lines. The same seed gives the same bytes.
func Write(w io.Writer, seed uint64, size int) (lines int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	counter := &countingWriter{w: out}
	t := &transcript{
		rng:   rand.New(rand.NewPCG(seed, 7)),
		json:  json.NewEncoder(counter),
		cwd:   fmt.Sprintf("/home/dev/src/project-%d", seed%37),
		clock: time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC).Add(time.Duration(seed) * time.Minute),
	}
	t.json.SetEscapeHTML(false)
	t.session = t.uuid()
	for turn := 0; counter.bytes < size && err == nil; turn++ {
		if turn%40 == 0 {
			line := t.line("user")
			line.PromptID, line.Message = t.uuid(), userMessage{"user", t.text(120)}
			err = t.put(line)
		}
		if err == nil {
			err = t.turn()
		}
	}
	if err == nil {
		err = out.Flush()
	}
	return counter.lines, err
}

// turn is one message of the model, and what its calls gave.
func (t *transcript) turn() error {
	message := modelMessage{
		ID: "msg_" + t.id(20), Type: "message", Role: "assistant", Model: "claude-model-x", StopReason: "tool_use",
		Usage: usage{1 + t.rng.IntN(20), t.rng.IntN(9000), t.rng.IntN(90000), 1 + t.rng.IntN(900), "standard"},
	}
	request := "req_" + t.id(20)
	var blocks []block
	if t.rng.IntN(10) < 3 {
		blocks = append(blocks, block{Type: "thinking", Thinking: t.text(t.size()), Signature: t.id(128)})
	}
	if t.rng.IntN(10) < 6 {
		blocks = append(blocks, block{Type: "text", Text: t.text(t.size())})
	}
	calls := []string{"toolu_" + t.id(18), "toolu_" + t.id(18), "toolu_" + t.id(18)}[:max(1, t.rng.IntN(5)-1)]
	for _, id := range calls {
		name, input := t.call()
		blocks = append(blocks, block{Type: "tool_use", ID: id, Name: name, Input: input})
	}
	for _, b := range blocks {
		line := t.line("assistant")
		message.Content = []block{b}
		line.Message, line.RequestID = message, request
		if err := t.put(line); err != nil {
			return err
		}
	}
	for _, id := range calls {
		text := t.text(t.size())
		line := t.line("user")
		line.Message = userMessage{"user", []resultBlock{{id, "tool_result", text, t.rng.IntN(20) == 0}}}
		line.ToolUseResult = &toolStdio{Stdout: text[:min(len(text), maxStdout)]}
		if err := t.put(line); err != nil {
			return err
		}
	}
	if t.rng.IntN(5) == 0 {
		line := t.line("system")
		line.Subtype, line.Content = "local_command", t.text(20+t.rng.IntN(100))
		return t.put(line)
	}
	return nil
}

// call makes up a tool call: its name and input.
func (t *transcript) call() (string, map[string]string) {
	switch t.rng.IntN(5) {
	case 0:
		return "Bash", map[string]string{"command": t.text(t.size() / 2), "description": t.text(40)}
	case 1:
		return "Read", map[string]string{"file_path": t.cwd + "/a.go"}
	case 2:
		return "Edit", map[string]string{"file_path": t.cwd + "/b.go", "old_string": t.text(t.size() / 2), "new_string": t.text(t.size() / 2)}
	case 3:
		return "Grep", map[string]string{"pattern": t.text(20)}
	default:
		return "WebFetch", map[string]string{"url": "https://example.org/" + t.id(12), "prompt": t.text(60)}
	}
}

func (t *transcript) line(kind string) *transcriptLine {
	t.clock = t.clock.Add(time.Duration(20+t.rng.IntN(4000)) * time.Millisecond)
	line := &transcriptLine{
		ParentUUID: t.parent, UserType: "external", CWD: t.cwd, SessionID: t.session, Version: "2.1.7", GitBranch: "main",
		Type: kind, UUID: t.uuid(), Timestamp: t.clock.Format("2006-01-02T15:04:05.000Z"),
	}
	t.parent = &line.UUID
	return line
}

func (t *transcript) put(line *transcriptLine) error {
	if err := t.json.Encode(line); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	return nil
}

// size draws the length of a text: many short ones, few of some kilobytes.
func (t *transcript) size() int {
	switch n := t.rng.IntN(100); {
	case n < 55:
		return 30 + t.rng.IntN(470)
	case n < 85:
		return 500 + t.rng.IntN(2500)
	case n < 97:
		return 3000 + t.rng.IntN(6000)
	default:
		return 9000 + t.rng.IntN(10000)
	}
}

// words are what texts are made of: those of code and of talk about it.
var words = strings.Fields(`func return error context span trace receiver the of and config build test value string int if else for range
	nil struct interface package import result file path line commit branch merge json parse token model tool call input output stream
	delta message user assistant plan check fix patch apply run exec shell python go node make`)

// text makes up n bytes, with now and then the quotes, tabs and newlines that need escapes in JSON.
func (t *transcript) text(n int) string {
	b := make([]byte, 0, n+32)
	for len(b) < n {
		b = append(append(b, words[t.rng.IntN(len(words))]...), ' ')
		if t.rng.IntN(16) == 0 {
			b = append(append(append(b, "\n\t\""...), words[t.rng.IntN(len(words))]...), "\": { "...)
		}
	}
	return string(b[:n])
}

func (t *transcript) id(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[t.rng.IntN(len(digits))]
	}
	return string(b)
}

func (t *transcript) uuid() string {
	return strings.Join([]string{t.id(8), t.id(4), t.id(4), t.id(4), t.id(12)}, "-")
}

// countingWriter counts what was written through it; a line is one write.
type countingWriter struct {
	w            io.Writer
	bytes, lines int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += n
	c.lines++
	return n, err
}
