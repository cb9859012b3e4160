package codex

import (
	"bytes"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// outputs reads the texts of results.
type outputs struct{ *line }

// contentText returns the texts of an output or an MCP result: a string, or an array of blocks, of which images and
// similar ones have no text.
func (ou *outputs) contentText(v scan.Value) lines.Text {
	all := ou.Output.Text()
	if v.Kind == scan.KindString {
		all.Add(v)
		return all
	}
	ou.eachText(v, func(_ int, _, text scan.Value) { all.Line(text) })
	return all
}

// take sets the text of a result to some strings joined.
func (o *outcome) take(out *lines.Output, texts ...scan.Value) {
	o.text = out.Text(texts...)
	copy(o.from[:], texts)
}

// mcpText returns the text of an MCP result.
func (ou *outputs) mcpText(result scan.Value) lines.Text {
	ou.Nested = ou.Scanner.MembersOf(result, ou.Nested[:0])
	return ou.contentText(ou.Nested.Get("content"))
}

// refusals are the beginnings of Codex's answers in place of a tool that it did not run or that could not work.
var refusals = [...]struct {
	prefix string
	denied bool // by a rule or a setting
}{
	{prefix: "unsupported call: "},
	{prefix: "unsupported custom tool call: "},
	{prefix: "failed to parse function arguments"},
	{prefix: "apply_patch verification failed"},
	{prefix: "patch rejected", denied: true},
	{prefix: "exec_command failed"},
	{prefix: "write_stdin failed"},
	{prefix: "approval policy is ", denied: true},
	{prefix: "unable to process image"},
	{prefix: "request_user_input is unavailable", denied: true},
	{prefix: headAborted},
}

// judge reads what an output contains about the call in addition to its text: the head that Codex writes before it,
// the JSON that older versions wrap around it, and the sentences of a refusal. It uses nothing else of the text,
// because the output of a command proves nothing.
func (ou *outputs) judge(name string, object []byte, o *outcome) {
	if ou.unwrapJSON(name, object, o) {
		return
	}
	if o.readHead(name) {
		return
	}
	for _, r := range refusals {
		if o.text.Begins(r.prefix) {
			o.failed = true
			// A command that a rule forbids fails to start, with the rule's message.
			o.denied = r.denied || r.prefix == "exec_command failed" && bytes.Contains(o.text.All(), []byte("Rejected("))
			if r.prefix == headAborted {
				o.state = events.ToolStateStopped
			}
			return
		}
	}
}

// unwrapJSON reads {"output":"...","metadata":{"exit_code":0,"duration_seconds":0.3}}, which shell returned up to 0.58
// and apply_patch up to 0.125. A command may print such a line itself, so both keys are required.
func (ou *outputs) unwrapJSON(name string, object []byte, o *outcome) bool {
	if k := tools[name].kind; k != toolShell && k != toolPatch || len(object) == 0 {
		return false
	}
	s := &ou.Scanner
	s.Reset(object)
	ou.Nested = s.Members(ou.Nested[:0])
	text, metadata := ou.Nested.Get("output"), ou.Nested.Get("metadata")
	if s.Err() != nil || text.Kind != scan.KindString || metadata.Kind != scan.KindObject {
		return false
	}
	o.take(&ou.Output, text)
	ou.Nested = s.MembersOf(metadata, ou.Nested[:0])
	o.exit(ou.Nested.Get("exit_code"))
	o.duration = seconds(ou.Nested.Get("duration_seconds").Float())
	return true
}

// The lines of a head. Tool and version determine which are present.
const (
	headWallTime    = "Wall time"
	headExited      = "Process exited with code "
	headRunning     = "Process running with session ID "
	headExitCode    = "Exit code: "
	headScript      = "Script "
	headOutput      = "Output:"
	headChunk       = "Chunk ID: "
	headAborted     = "aborted by user"
	maxHeadLines    = 8
	maxHeadLineSize = 128
)

// headBeginnings are the possible first lines of a head.
var headBeginnings = [...]string{headChunk, headWallTime, headExited, headExitCode, headRunning, headScript}

// readHead reads and removes the head of an output. It returns false if there is no head or if no output follows it.
//
//	Chunk ID: 011580                   0.125 and later
//	Wall time: 1.3377 seconds          also before MCP results and an abort
//	Process exited with code 1         or: Process running with session ID 81063
//	Original token count: 12
//	Output:
//
//	Exit code: 0                       apply_patch, 0.171
//	Wall time: 0 seconds
//	Output:
//
//	Script completed                   code mode; or: Script failed, Script running with cell ID 2
//	Wall time 0.4 seconds
//	Output:
func (o *outcome) readHead(name string) bool {
	if !o.beginsWith(headBeginnings[:]) {
		return false
	}
	rest := o.text.Head(maxHeadLines * maxHeadLineSize)
	size := len(rest)
	var h outcome
	for n := 0; n < maxHeadLines; n++ {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		switch {
		case len(line) > maxHeadLineSize:
			return false
		case n > 0 && string(line) == headOutput:
			o.takeHead(&h, size-len(after))
			return true
		case n == 1 && bytes.HasPrefix(line, []byte(headAborted)):
			o.takeHead(&h, size-len(rest))
			return false
		case !h.headLine(line, name, n == 0):
			return false
		}
		rest = after
	}
	return false
}

// takeHead stores h, the head, and removes its bytes from the text.
func (o *outcome) takeHead(h *outcome, size int) {
	o.text.Skip(size)
	o.duration = h.duration
	o.failed, o.code, o.hasCode, o.state = h.failed, h.code, h.hasCode, h.state
}

// headLine reads one line of a head. It returns false if the line is not part of one.
func (o *outcome) headLine(line []byte, name string, first bool) bool {
	switch {
	case bytes.HasPrefix(line, []byte(headWallTime)):
		number, _, _ := bytes.Cut(bytes.TrimLeft(line[len(headWallTime):], ": "), []byte(" "))
		f, err := strconv.ParseFloat(string(number), 64)
		o.duration = seconds(f)
		return err == nil
	case bytes.HasPrefix(line, []byte(headExited)):
		return o.headCode(line[len(headExited):])
	case bytes.HasPrefix(line, []byte(headExitCode)):
		return o.headCode(line[len(headExitCode):])
	case bytes.HasPrefix(line, []byte(headRunning)):
		if tools[name].kind == toolShell { // not write_stdin, which has done its work
			o.state = events.ToolStateBackground
		}
		return true
	case first && bytes.HasPrefix(line, []byte(headScript)):
		switch word := line[len(headScript):]; {
		case string(word) == "failed":
			o.failed = true
		case bytes.HasPrefix(word, []byte("running")):
			o.state = events.ToolStateBackground
		case string(word) != "completed":
			return false
		}
		return true
	}
	return bytes.HasPrefix(line, []byte(headChunk)) || !first && (bytes.HasPrefix(line, []byte("Original token count: ")) ||
		bytes.HasPrefix(line, []byte("Total output lines: ")))
}

func (o *outcome) headCode(digits []byte) bool {
	code, err := strconv.Atoi(string(digits))
	o.code, o.hasCode, o.failed = code, err == nil, code != 0
	return err == nil
}

func seconds(f float64) time.Duration { return scan.Span(f, time.Second) }

// Marks of a truncated output: at the head of what the model received, and in the middle of what was cut to 1 MiB for
// the stream or to 64 KiB for the rollout. The search for a mark in the middle runs on the escaped text of the line and
// begins with a letter that is rare in most texts.
var (
	cutHeads    = [...]string{"Warning: truncated output", "Total output lines: "}
	cutMiddles  = [...]string{`bytes omitted ...\n`, `... command output truncated for persistence ...\n`}
	beforeMarks = [len(cutMiddles)]string{" ", `\n`}
)

// minCutMiddle is the length below which nothing is cut in the middle, in bytes.
const minCutMiddle = 60 << 10

// wasCut reports whether the text shows that the program truncated it; size is its length.
func (o *outcome) wasCut(size int) bool {
	return o.beginsWith(cutHeads[:]) || size >= minCutMiddle && (cutMiddle(o.from[0]) || cutMiddle(o.from[1]))
}

// beginsWith reports whether the text begins with one of words.
func (o *outcome) beginsWith(words []string) bool {
	for _, word := range words {
		if o.text.Begins(word) {
			return true
		}
	}
	return false
}

// cutMiddle reports whether the program cut out the middle of a text.
func cutMiddle(v scan.Value) bool {
	for i, mark := range cutMiddles {
		if at := bytes.Index(v.Raw, []byte(mark)); at >= 0 && bytes.HasSuffix(v.Raw[:at], []byte(beforeMarks[i])) {
			return true
		}
	}
	return false
}
