package gemini

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// report handles the single document of --output-format json.
type report struct{ *line }

// document emits the last text, the usage and the end of the single document. It has no calls.
func (rp *report) document(r *record) {
	if r.session.Kind == scan.KindString {
		rp.session = rp.Strings.Intern(r.session)
	}
	rp.beginObject(r.timestamp)
	response := rp.Strings.Text(r.response)
	if !blank([]byte(response)) {
		rp.Emit(events.KindText).Text = response
	}
	rp.reportWarnings(r.warnings)
	rp.reportStats(r.stats)
	end := &events.End{Code: "success", Result: response}
	if r.failure.present {
		end.Error, end.Code, end.Err = true, "error", rp.Strings.Text(r.failure.message)
		if code := rp.Strings.Intern(r.failure.kind); code != "" {
			end.Code = code
		}
		if end.Err == "" {
			end.Err = end.Code
		}
		end.Interrupted = end.Code == "FatalCancellationError"
		if !end.Interrupted {
			end.Cause = cause.Of(0, end.Err, end.Code)
		}
	}
	rp.Emit(events.KindSessionEnded).End = end
}

func (rp *report) reportWarnings(warnings scan.Value) {
	for range scan.Elements(&rp.Inner, warnings) {
		if text := rp.Strings.Text(rp.Inner.Value()); text != "" {
			rp.Notice(events.LevelWarn, errorCode(text), text)
		}
	}
}

// reportStats emits the usage of each model.
func (rp *report) reportStats(stats scan.Value) {
	models := rp.Members(stats).Get("models")
	if models.Kind != scan.KindObject {
		return
	}
	s := &rp.Inner
	s.Reset(models.Raw)
	for s.Object(); s.Key(); {
		rp.reportModel(s)
	}
}

func (rp *report) reportModel(s *scan.Scanner) {
	name := s.Name()
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		if string(s.Name()) != "tokens" || s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		e := rp.Emit(events.KindUsage)
		e.Model, e.Usage = rp.Strings.Unescape(name), readTokens(s).usage(events.UsageScopeRun)
	}
}
