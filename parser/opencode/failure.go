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

// contextOverflow is the name of the error of a conversation that grew too long. OpenCode compacts it and continues, unless the
// user has switched that off (1.18.33, overflow.jsonl).
const contextOverflow = "ContextOverflowError"

// errorCodes maps the names of errors to codes of notices.
var errorCodes = map[string]string{
	"APIError":                 "api_error",
	"ContentFilterError":       "content_filter",
	contextOverflow:            "context_overflow",
	"MessageAbortedError":      events.NoticeInterrupted,
	"MessageOutputLengthError": "output_length",
	"ProviderAuthError":        "auth_error",
	"StructuredOutputError":    "structured_output",
	"UnknownError":             "unknown_error",
}

// maxErrorName is the maximum length of the name of an error, in runes.
const maxErrorName = 64

// code returns the failure's name in the form of a notice code.
func (f failure) code() string {
	if code := errorCodes[f.name]; code != "" {
		return code
	}
	return "error"
}

// interrupted reports whether the user stopped the model.
func (f failure) interrupted() bool { return f.name == "MessageAbortedError" }

// cause returns the cause of the failure, or "" if the user stopped the model.
func (f failure) cause() events.Cause {
	if f.interrupted() {
		return ""
	}
	return cause.Of(f.status, f.text, f.name)
}

// failure reads an error; its name is empty if there is none. Bodies and headers of responses are omitted: they are
// long and may hold private data.
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

// retryText describes a repeated model call.
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
