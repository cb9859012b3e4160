package style

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// noticeHead is the word for a notice that is worth a line, empty for one that is not.
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

// noticeText is the text of a notice, or its code. Some agents put it into brackets.
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

// failure is why a run or turn failed: the error's first line, else the result's, else the code, else the cause.
func failure(e *events.End) string {
	killed := ""
	if e.Decided == events.OutcomeKilled {
		killed = e.Decided.String()
	}
	return text.FirstLine(plainError(e.Err), e.Result, e.Code, string(e.Cause), killed)
}

// aborted is head and detail for a turn that was stopped: by the user, or by the agent on principle.
func aborted(e *events.End) (head, detail string) {
	if e == nil {
		return "turn aborted", ""
	}
	if e.Interrupted {
		return "turn interrupted", ""
	}
	return "turn aborted", text.FirstLine(e.Principle, e.Err)
}

// approval is what waits for permission: "Bash: rm -r build".
func approval(a *events.Approval) string {
	if a == nil {
		return ""
	}
	return text.Colon(ToolName(a.Tool), text.Brief(a.Subject))
}

// questions are the questions of an Ask, each with its options: "Which branch? (main / dev)".
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

// outcome is what came of a call: "error: first line", "12 lines", "ok" or the first line, the first that applies.
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

// took is " (340ms)", how long a call took, where that is asked for and known.
func took(p *Pen, t *events.Tool) string {
	if !p.Results || t.Duration < text.LeastDuration {
		return ""
	}
	return " (" + text.Short(t.Duration) + ")"
}

// maxErrorText is the longest text that is searched for a server's answer, in bytes.
const maxErrorText = 64 << 10

// plainError is an error's text with the message of a server's JSON answer in place of that answer: of
// `status 400: {"error":{"message":"No such model."}}` it is "status 400: No such model.". Any other text is as it is.
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
