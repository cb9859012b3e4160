package gemini

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// report handles the one document of --output-format json: the last text, the usage, the end. It has no calls.
func (p *Parser) report(r *record) {
	if r.session.Kind == scan.KindString {
		p.session = p.Strings.Intern(r.session)
	}
	p.beginObject(r.timestamp)
	response := p.Strings.Text(r.response)
	if !blank([]byte(response)) {
		p.Emit(events.KindText).Text = response
	}
	p.reportWarnings(r.warnings)
	p.reportStats(r.stats)
	end := &events.End{Code: "success", Result: response}
	if r.failure.present {
		end.Error, end.Code, end.Err = true, "error", p.Strings.Text(r.failure.message)
		if code := p.Strings.Intern(r.failure.kind); code != "" {
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
	p.Emit(events.KindSessionEnded).End = end
}

func (p *Parser) reportWarnings(warnings scan.Value) {
	if warnings.Kind != scan.KindArray {
		return
	}
	p.Inner.Reset(warnings.Raw)
	for p.Inner.Array(); p.Inner.Element(); {
		if text := p.Strings.Text(p.Inner.Value()); text != "" {
			p.Notice(events.LevelWarn, errorCode(text), text)
		}
	}
}

// reportStats emits the usage of each model.
func (p *Parser) reportStats(stats scan.Value) {
	if stats.Kind != scan.KindObject {
		return
	}
	s := &p.Inner
	s.Reset(stats.Raw)
	for s.Object(); s.Key(); {
		if string(s.Name()) != "models" || s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		for s.Object(); s.Key(); {
			p.reportModel(s)
		}
	}
}

func (p *Parser) reportModel(s *scan.Scanner) {
	name := s.Name()
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	for s.Object(); s.Key(); {
		if string(s.Name()) != "tokens" || s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		e := p.Emit(events.KindUsage)
		e.Model, e.Usage = p.Strings.Unescape(name), readTokens(s).usage(events.UsageScopeRun)
	}
}
