package gemini

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// toolCall is one entry of a message's toolCalls.
type toolCall struct {
	id, name, status, timestamp, agentID, title scan.Value

	// args is the raw object, members are its members.
	args    scan.Value
	members scan.Members

	// answered marks a call that has a result. texts is what the model received of it. failed marks a result that is an error.
	answered, failed bool
	texts            []scan.Value

	display   scan.Value // resultDisplay, if it is a string
	agentName scan.Value // of a sub-agent, from its resultDisplay
}

func (r *record) readCalls(s *scan.Scanner) {
	r.calls, r.callArgs = r.calls[:0], r.callArgs[:0]
	if s.Peek() != scan.KindArray {
		s.Skip()
		return
	}
	for s.Array(); s.Element(); {
		r.call = toolCall{}
		if r.callFields.Read(s) {
			r.calls = append(r.calls, r.call)
		}
	}
}

func (r *record) readArgs(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		r.call.args = s.Value()
		return
	}
	start, from := s.Offset(), len(r.callArgs)
	r.callArgs = s.Members(r.callArgs)
	r.call.args = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	r.call.members = r.callArgs[from:len(r.callArgs):len(r.callArgs)]
}

// readResult reads a result: an array of parts as the CLI writes it or, as its type allows, one part or a string.
func (r *record) readResult(s *scan.Scanner) {
	c := &r.call
	from := len(r.texts)
	c.answered, c.failed = true, false
	switch s.Peek() {
	case scan.KindArray:
		for s.Array(); s.Element(); {
			r.readResultPart(s, c)
		}
	case scan.KindNull:
		c.answered = false
		s.Skip()
	default:
		r.readResultPart(s, c)
	}
	c.texts = r.texts[from:len(r.texts):len(r.texts)]
}

func (r *record) readResultPart(s *scan.Scanner, c *toolCall) {
	if s.Peek() != scan.KindObject {
		if v := s.Value(); v.Kind == scan.KindString {
			r.texts = append(r.texts, v)
		}
		return
	}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "text":
			if v := s.Value(); v.Kind == scan.KindString {
				r.texts = append(r.texts, v)
			}
		case "functionResponse":
			r.readFunctionResponse(s, c)
		default: // inlineData: an image
			s.Skip()
		}
	}
}

func (r *record) readFunctionResponse(s *scan.Scanner, c *toolCall) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		if string(s.Name()) == "response" {
			r.readResponse(s, c)
		} else {
			s.Skip()
		}
	}
}

// readResponse reads {"output":...} or {"error":...}. The text of any other object is its JSON.
func (r *record) readResponse(s *scan.Scanner, c *toolCall) {
	if s.Peek() != scan.KindObject {
		r.texts = append(r.texts, s.Value())
		return
	}
	start, found, members := s.Offset(), false, false
	for s.Object(); s.Key(); members = true {
		switch string(s.Name()) {
		case "output":
			r.texts, found = append(r.texts, s.Value()), true
		case "error":
			r.texts, found, c.failed = append(r.texts, s.Value()), true, true
		default:
			s.Skip()
		}
	}
	if !found && members {
		r.texts = append(r.texts, scan.Value{Kind: scan.KindObject, Raw: s.Since(start)})
	}
}

// readDisplay reads what the terminal showed: a string, or the name of a sub-agent. It skips diffs, which hold whole
// files twice, lists and terminal cells.
func (r *record) readDisplay(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		if v := s.Value(); v.Kind == scan.KindString {
			r.call.display = v
		}
		return
	}
	r.nested = s.Members(r.nested[:0])
	if r.nested.Get("isSubagentProgress").True() {
		r.call.agentName = r.nested.Get("agentName")
	}
}

// Lines that the CLI writes before the output of a command, and before content from outside.
const (
	shellOutput  = "Output: "
	shellCommand = "Command: "
	untrustedTag = "<untrusted_context>"
)

// The envelope around output of programs and servers outside the CLI, since 0.49.
var (
	untrustedOpen  = []byte(untrustedTag + "\n")
	untrustedClose = []byte("\n</untrusted_context>")
)

// unwrap removes the envelope.
func unwrap(text []byte) []byte {
	if inner, ok := bytes.CutPrefix(text, untrustedOpen); ok {
		return bytes.TrimSuffix(inner, untrustedClose)
	}
	return text
}

// shellEnd is what the CLI writes after the output of a command.
type shellEnd struct {
	exitCode, signal       int
	hasExitCode, hasSignal bool
}

// The lines after a command's output, and the one before it.
var (
	outputLine = []byte("\nOutput: ")
	shellLines = [...][]byte{[]byte("Error:"), []byte("Exit Code:"), []byte("Signal:"), []byte("Background PIDs:"), []byte("Process Group PGID:")}
)

// lead returns how many bytes the CLI wrote before the output of a tool, or false if the beginning of the text is not enough.
func lead(text *lines.Text, isShell bool) (n int, known bool) {
	if text.Begins(untrustedTag) && bytes.HasPrefix(text.Head(len(untrustedOpen)), untrustedOpen) {
		n = len(untrustedOpen)
	}
	if !isShell {
		return n, true
	}
	if n == 0 && !text.Begins(shellOutput) && !text.Begins(shellCommand) {
		return 0, true
	}
	head := text.Head(n + len(shellOutput))[n:]
	if bytes.HasPrefix(head, []byte(shellOutput)) {
		return n + len(shellOutput), true
	}
	return n, !bytes.HasPrefix(head, []byte(shellCommand))
}

// isTail reports whether a line is one of those that the CLI writes after a tool's output.
func isTail(line string) bool {
	return isShellLine([]byte(line)) || strings.HasPrefix(line, string(untrustedClose[1:]))
}

// shell splits the text of a command's result into its output and how the command ended.
func shell(text []byte) (said []byte, end shellEnd) {
	said, end = splitEnd(unwrap(text))
	if bytes.HasPrefix(said, []byte(shellCommand)) { // 0.24 begins with the command and its folder
		if i := bytes.Index(said, outputLine); i >= 0 {
			said = said[i+1:]
		}
	}
	return bytes.TrimPrefix(said, []byte(shellOutput)), end
}

// splitEnd removes the lines that report how a command ended. It only looks at the last lines, while they are the CLI's
// own: the output may contain such lines too.
func splitEnd(said []byte) ([]byte, shellEnd) {
	var end shellEnd
	for {
		i := bytes.LastIndexByte(said, '\n')
		line := said[i+1:]
		if i < 0 || !isShellLine(line) {
			return said, end
		}
		if n, ok := number(line, "Exit Code:"); ok {
			end.exitCode, end.hasExitCode = n, true
		}
		if n, ok := number(line, "Signal:"); ok {
			end.signal, end.hasSignal = n, true
		}
		said = said[:i]
	}
}

// shellTailBytes is the length of the end of a text that usually contains the lines about the end of the command.
const shellTailBytes = 512

// shellEnd reads how a command ended from the text of its result, whose source is of. It decodes only the end of a long one.
func (cs *calls) shellEnd(text *lines.Text, of []scan.Value) shellEnd {
	if len(of) != 1 || of[0].Kind != scan.KindString {
		_, end := splitEnd(unwrap(text.All()))
		return end
	}
	head, body := text.Head(len(untrustedOpen)), of[0].Body()
	for n := shellTailBytes; ; n = len(body) {
		tail := scan.Tail(body, n)
		cs.Scratch = scan.AppendString(cs.Scratch[:0], tail)
		ending := cs.Scratch
		if bytes.HasPrefix(head, untrustedOpen) {
			ending = bytes.TrimSuffix(ending, untrustedClose)
		}
		said, end := splitEnd(ending)
		if len(tail) == len(body) || bytes.IndexByte(said, '\n') >= 0 {
			return end
		}
	}
}

func isShellLine(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	for _, begin := range shellLines {
		if line[0] == begin[0] && bytes.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// number parses the number after a label. 0.24 writes "(none)" if there is none.
func number(line []byte, label string) (int, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(label))
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(rest)))
	return n, err == nil
}
