package emit

import (
	"cmp"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/work"
)

// Used is the usage of a model as the metrics count it, with the time, the session and its folder, which metrics lack.
// Usage that only the end of a run reports has the time of that end.
type Used struct {
	Time            time.Time
	Session, Folder string // Folder is empty if the stream does not name it
	Agent, Model    string // Agent is the persona, else the program
	Pipeline        string
	Tokens          events.Tokens
	CostUSD         float64
	EstimateUSD     float64 // of tokens that were reported before, by the prices of the settings
}

// Use adds to the metrics what the agent used at a time, in a span, and reports it to OnUsed.
func (e *Emitter) Use(a *work.Agent, at clock.Moment, in otlp.SpanRef, u Used) {
	r := a.Run
	by := metrics.User{Model: u.Model, Agent: r.Top.Name, In: in}
	e.Meter.Tokens(by, u.Tokens, u.CostUSD)
	e.Meter.EstimatedCost(by, u.EstimateUSD)
	if e.set.OnUsed == nil {
		return
	}
	u.Time, u.Session, u.Agent, u.Pipeline = time.Unix(0, int64(at.At)), r.SessionID, r.Resource.AgentName(), r.Resource.Value(otlp.AttrPipelineName)
	u.Folder = e.set.Program.Folder(r.SessionID)
	u.Tokens, u.CostUSD = u.Tokens.Beyond(events.Tokens{}), max(u.CostUSD, 0) // like the metrics, which cannot decrease
	e.set.OnUsed(u)
}

// Notice counts the retry or the compaction that a notice reports.
func (e *Emitter) Notice(a *work.Agent, ev *events.DisplayEvent) {
	key := metrics.Key{Agent: a.Name, Model: cmp.Or(ev.Model, a.Thread.Models.Only())}
	switch ev.Notice.Code {
	case events.NoticeAPIRetry:
		key.Instrument = metrics.InstrumentRetries
	case events.NoticeCompaction:
		key.Instrument = metrics.InstrumentCompactions
	default:
		return
	}
	e.Meter.Count(key, a.Span())
}
