package opencode

import (
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// failure is an error of a model call or a session: {"name","data":{"message", …}}.
type failure struct {
	name, text string
	status     int // of the API's response; 0 if there was none
}

// errorCodes are the codes of notices for the names of errors.
var errorCodes = map[string]string{
	"APIError":                 "api_error",
	"ContentFilterError":       "content_filter",
	"ContextOverflowError":     "context_overflow",
	"MessageAbortedError":      events.NoticeInterrupted,
	"MessageOutputLengthError": "output_length",
	"ProviderAuthError":        "auth_error",
	"StructuredOutputError":    "structured_output",
	"UnknownError":             "unknown_error",
}

// maxErrorName is the longest name of an error that is kept, in runes.
const maxErrorName = 64

// code is the failure's name as a notice has it.
func (f failure) code() string {
	if code := errorCodes[f.name]; code != "" {
		return code
	}
	return "error"
}

// interrupted reports whether the user stopped the model.
func (f failure) interrupted() bool { return f.name == "MessageAbortedError" }

// cause is why it failed; none where the user stopped the model.
func (f failure) cause() events.Cause {
	if f.interrupted() {
		return ""
	}
	return cause.Of(f.status, f.text, f.name)
}

// failure reads an error; its name is empty if there is none. Bodies and headers of responses are left out: they are
// long, and may hold what is private.
func (l *line) failure(v scan.Value) failure {
	var name, message, data scan.Value
	status := 0
	switch v.Kind {
	case scan.KindString:
		message = v
	case scan.KindObject:
		l.Nested = l.small.MembersOf(v, l.Nested[:0])
		name, message, data = l.Nested.Get("name"), l.Nested.Get("message"), l.Nested.Get("data")
	default:
		return failure{}
	}
	if data.Kind == scan.KindObject {
		l.Nested = l.small.MembersOf(data, l.Nested[:0])
		if inner := l.Nested.Get("message"); inner.Kind == scan.KindString {
			message = inner
		}
		status = int(l.Nested.Get("statusCode").Int())
	}
	f := failure{status: status, name: events.CleanLine(l.Strings.Intern(name), maxErrorName), text: l.Strings.Text(message)}
	if f.name == "" {
		f.name = "UnknownError"
	}
	if lines.Blank(f.text) {
		f.text = f.name
	}
	return f
}

// retryText describes a model call that is made again.
func retryText(reason string, attempt scan.Value) string {
	var b strings.Builder
	b.WriteString("API call failed")
	if !lines.Blank(reason) {
		b.WriteString(": " + reason)
	}
	if n := attempt.Int(); n > 0 {
		b.WriteString("; retry " + strconv.FormatInt(n, 10))
	}
	return b.String()
}
