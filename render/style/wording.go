package style

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// noticeHead returns the word for a notice that is worth a line, and "" for any other.
func noticeHead(l events.Level) string {
	switch l {
	case events.LevelWarn:
		return "warning"
	case events.LevelError:
		return "error"
	default:
		return ""
	}
}

// noticeText returns the text of a notice, or its code. Some agents put the text in brackets.
func noticeText(e *events.DisplayEvent) string {
	line := text.FirstLine(plainError(e.Text), e.Notice.Code)
	if inner, ok := strings.CutPrefix(line, "["); ok && strings.HasSuffix(inner, "]") && !strings.ContainsAny(inner[:len(inner)-1], "[]") {
		return inner[:len(inner)-1]
	}
	return line
}

func failed(e *events.End) bool {
	return e != nil && !interrupted(e) && (e.Error || e.Decided == events.OutcomeError || e.Decided == events.OutcomeKilled)
}

func interrupted(e *events.End) bool {
	return e != nil && (e.Interrupted || e.Decided == events.OutcomeInterrupted && e.Principle == "")
}

// howFailed returns the word for a run that failed, or has no end.
func howFailed(e *events.End) string {
	if e.Decided == events.OutcomeIncomplete {
		return "incomplete"
	}
	return "failed"
}

// failure returns why a run or turn failed: the first line of the error, or that of the result, or the code, or the cause.
func failure(e *events.End) string {
	killed := ""
	if e.Decided == events.OutcomeKilled {
		killed = e.Decided.String()
	}
	return text.FirstLine(plainError(e.Err), e.Result, e.Code, string(e.Cause), killed)
}

// aborted returns head and detail for a turn that was stopped: by the user, or by the agent on principle.
func aborted(e *events.End) (head, detail string) {
	if e == nil {
		return "turn aborted", ""
	}
	if e.Interrupted {
		return "turn interrupted", ""
	}
	return "turn aborted", text.FirstLine(e.Principle, e.Err)
}

// approval returns what is waiting for permission: "Bash: rm -r build".
func approval(a *events.Approval) string {
	if a == nil {
		return ""
	}
	return text.Colon(ToolName(a.Tool), text.Brief(a.Subject))
}

// questions returns the questions of an Ask, each with its options: "Which branch? (main / dev)".
func questions(a *events.Ask) []string {
	if a == nil {
		return nil
	}
	var all []string
	for _, q := range a.Questions {
		line := text.FirstLine(q.Prompt, q.Header)
		var labels []string
		for _, o := range q.Options {
			if label := text.Brief(o.Label); label != "" {
				labels = append(labels, label)
			}
		}
		if len(labels) > 0 {
			line += " (" + strings.Join(labels, " / ") + ")"
		}
		all = append(all, line)
	}
	return all
}

// outcome returns the result of a call: "error: first line", "12 lines", "ok" or the first line, whichever applies first.
func outcome(t *events.Tool) string {
	summary := text.FirstLine(t.Summary)
	switch {
	case t.Error:
		return text.Colon("error", text.FirstLine(t.Err, t.Summary))
	case t.HasLines:
		return strconv.Itoa(t.Lines) + " lines"
	case summary == "":
		return "ok"
	default:
		return summary
	}
}

// took returns " (340ms)", the duration of a call, if it is shown and known.
func took(p *Pen, t *events.Tool) string {
	if !p.Results || t.Duration < text.LeastDuration {
		return ""
	}
	return " (" + text.Short(t.Duration) + ")"
}

// maxErrorText is the maximum length of a text that is searched for a server's answer, in bytes.
const maxErrorText = 64 << 10

// plainError returns an error's text with a server's JSON answer replaced by its message: `status 400:
// {"error":{"message":"No such model."}}` becomes "status 400: No such model.". It returns any other text unchanged.
func plainError(text string) string {
	at := strings.IndexByte(text, '{')
	if at < 0 || len(text) > maxErrorText {
		return text
	}
	answer := json.NewDecoder(strings.NewReader(text[at:]))
	var answered struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if answer.Decode(&answered) != nil {
		return text
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answered.Error, &inner) == nil && inner.Message != "" {
		answered.Message = inner.Message
	}
	if strings.TrimSpace(answered.Message) == "" {
		return text
	}
	return text[:at] + answered.Message + text[at+int(answer.InputOffset()):]
}
