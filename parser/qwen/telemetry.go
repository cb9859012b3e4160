package qwen

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// noticeAPIError is the code for the final failure of a call to the API.
const noticeAPIError = "api_error"

// telemetry is the state of ui_telemetry lines. They repeat texts and arguments, which are not read. Only they have
// durations, the usage of sub-agents and failures of the API.
type telemetry struct {
	counts   bool          // they have the usage of this transcript
	early    events.Tokens // usage of a message before the first of them
	response string        // ID of the last response, whose message comes next
	tries    int           // failed calls since the last response
	answer   int           // number of earlier responses with that ID, see [events.DisplayEvent]
}

// take returns the ID of a message's response, once; if there is none, it returns the ID of its line.
func (t *telemetry) take(line string) (id string, answer int) {
	id, answer = t.response, t.answer
	if t.response, t.answer = "", 0; id == "" {
		return line, 0
	}
	return id, answer
}

// outcome is what telemetry reports about a call, before its result.
type outcome struct {
	took   time.Duration
	denied bool
}

// reports handles the ui_telemetry lines of a transcript.
type reports struct {
	*line
	calls *calls

	telemetry telemetry
	answers   memory.Table[int] // number of responses with an ID
}

func (rp *reports) uiTelemetry(payload scan.Value) {
	e := rp.Members(rp.Members(payload).Get("uiEvent"))
	switch name := e.Get("event.name").Body(); string(bytes.TrimPrefix(name, []byte("qwen-code."))) {
	case "api_response":
		rp.apiResponse(e)
	case "tool_call":
		name := events.CleanLine(rp.Strings.Intern(e.Get("function_name")), 0)
		key := rp.Keys.With(rp.Keys.String(domainBody, name), e.Get("function_args").Raw)
		rp.calls.durations.Set(key, outcome{took: scan.Millis(e.Get("duration_ms")), denied: e.Get("decision").Is("reject")})
	case "api_error":
		rp.apiFailure(e, events.LevelError, noticeAPIError)
	case "api_retry":
		rp.apiFailure(e, events.LevelWarn, events.NoticeAPIRetry)
	}
}

// apiResponse emits the usage of one call to the API.
func (rp *reports) apiResponse(e scan.Members) {
	rp.telemetry.tries = 0
	id, answer := e.Get("response_id"), 0
	if len(id.Body()) > 0 { // a server may reuse an ID, and a report may be repeated
		key := rp.Keys.ID(domainResponse, id.Body())
		report := key
		for _, part := range [...]string{"event.timestamp", "input_token_count", "output_token_count"} {
			report = rp.Keys.With(report, e.Get(part).Raw)
		}
		if !rp.seen.Add(report) {
			return
		}
		n := rp.answers.Ref(key)
		answer = *n
		*n++
	}
	response := rp.Strings.Text(id)
	if !e.Get("subagent_name").Exists() && ofMainThread(e.Get("prompt_id").Body()) {
		rp.telemetry.response, rp.telemetry.answer = response, answer
	}
	if rp.countedByHelper(e.Get("prompt_id").Body()) {
		return
	}
	c := telemetryCounts.Members(e)
	t := c.Tokens()
	before := rp.telemetry.early
	rp.telemetry.counts, rp.telemetry.early = true, events.Tokens{}
	if t == (events.Tokens{}) || t == before { // its message came first with the same usage
		return
	}
	u := rp.Emit(events.KindUsage)
	u.MessageID, u.Answer, u.Model = response, answer, rp.Strings.Intern(e.Get("model"))
	u.Usage = &events.Usage{Scope: events.UsageScopeCall, Provider: t, Tokens: normalise(t, c.Of(usage.Total))}
}

// automatic is part of the prompt ID of a turn that a notice begins.
var automatic = []byte("/automatic/")

// ofMainThread reports whether a prompt ID is the main thread's: a hash (0.15.10), or the session's ID and a count (0.24.4).
// In those of sub-agents their names are between the two; those of the program's own calls have a path after the count.
func ofMainThread(prompt []byte) bool {
	_, count, counted := bytes.Cut(prompt, []byte("########"))
	return counted && (bytes.IndexByte(count, '/') < 0 || bytes.Contains(count, automatic)) || bytes.IndexByte(prompt, '#') < 0
}

// maxTries is how often the program tries a call to the API if its server fails (0.24.4, unless configured). The delays between
// tries grow to half a minute, so earlier failures are not the end of the run.
const maxTries = 7

// triedAgain counts a failed call to the API and reports whether the program is likely to repeat it.
func (t *telemetry) triedAgain(status int64) bool {
	t.tries++
	return (status >= 500 || status == 429) && t.tries < maxTries
}

func (rp *reports) apiFailure(e scan.Members, level events.Level, code string) {
	text := rp.Strings.Text(e.Get("error_message"))
	if text == "" {
		text = rp.Strings.Text(e.Get("error_type"))
	}
	n := rp.Emit(events.KindNotice)
	n.Notice = events.Notice{Level: level, Code: code}
	n.Text, n.Model = "API call failed: "+text, rp.Strings.Intern(e.Get("model"))
	if level == events.LevelError && !e.Get("subagent_name").Exists() {
		status := e.Get("status_code").Int()
		n.Sign = events.Sign{Outcome: events.OutcomeError, ModelCall: true, Weak: rp.telemetry.triedAgain(status)}
		n.Sign.Cause = cause.Of(int(status), text, rp.Strings.Intern(e.Get("error_type")))
	}
}
