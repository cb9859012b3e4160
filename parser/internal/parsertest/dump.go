package parsertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// Dump returns one event as one line: its kind and all of its fields.
func Dump(e *events.DisplayEvent) string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	text := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%q", name, value)
		}
	}
	flag := func(name string, set bool) {
		if set {
			b.WriteString(" " + name)
		}
	}
	span := func(name string, d time.Duration) {
		if d != 0 {
			fmt.Fprintf(&b, " %s=%s", name, d)
		}
	}
	if e.Tool.Name != "" || e.Kind == events.KindToolUse {
		fmt.Fprintf(&b, " name=%q", e.Tool.Name)
	}
	text("id", e.Tool.ID)
	text("text", e.Text)
	flag("delta", e.Delta)
	flag("synthetic", e.Synthetic)
	text("target", e.Tool.Target)
	text("input", string(e.Tool.Input))
	text("agent_type", e.Tool.AgentType)
	text("started", e.Tool.AgentID)
	text("server", e.Tool.Server)
	flag("read_only", e.Tool.ReadOnly)
	text("state", e.Tool.State.String())
	flag("error", e.Tool.Error)
	text("err", e.Tool.Err)
	flag("denied", e.Tool.Denied)
	if e.Tool.HasExitCode {
		fmt.Fprintf(&b, " exit_code=%d", e.Tool.ExitCode)
	}
	text("summary", e.Tool.Summary)
	if e.Tool.HasLines {
		fmt.Fprintf(&b, " lines=%d", e.Tool.Lines)
	}
	text("output", string(e.Tool.Output))
	if e.Kind == events.KindToolResult {
		fmt.Fprintf(&b, " size=%d", e.Tool.Size)
	}
	flag("truncated", e.Tool.Truncated)
	span("duration", e.Tool.Duration)
	if n := e.Notice; n != (events.Notice{}) {
		fmt.Fprintf(&b, " level=%s code=%q", n.Level, n.Code)
	}
	if u := e.Usage; u != nil {
		fmt.Fprintf(&b, " scope=%s provider=%s tokens=%s", u.Scope, tokens(u.Provider), tokens(u.Tokens))
		flag("output_unknown", u.OutputUnknown)
		if u.HasCost {
			fmt.Fprintf(&b, " cost=%.6f", u.CostUSD)
		}
		text("service_tier", u.ServiceTier)
		text("speed", u.Speed)
		if u.WebSearches > 0 || u.WebFetches > 0 {
			fmt.Fprintf(&b, " web_searches=%d web_fetches=%d", u.WebSearches, u.WebFetches)
		}
	}
	if s := e.Session; s != nil {
		fmt.Fprintf(&b, " %+v", *s)
	}
	if d := e.End; d != nil {
		flag("error", d.Error)
		flag("interrupted", d.Interrupted)
		text("code", d.Code)
		text("result", d.Result)
		text("err", d.Err)
		if d.Turns != 0 {
			fmt.Fprintf(&b, " turns=%d", d.Turns)
		}
		span("duration", d.Duration)
	}
	if a := e.Approval; a != nil {
		fmt.Fprintf(&b, " %+v", *a)
	}
	if a := e.Ask; a != nil {
		fmt.Fprintf(&b, " %+v", *a)
	}
	if !e.Time.IsZero() {
		fmt.Fprintf(&b, " time=%s", e.Time.Format(time.RFC3339Nano))
	}
	text("model", e.Model)
	text("model_provider", e.ModelProvider)
	text("parent", e.ParentID)
	text("agent", e.AgentID)
	flag("copied", e.Copied)
	text("message", e.MessageID)
	text("item", e.ItemID)
	text("turn", e.TurnID)
	text("session", e.SessionID)
	return b.String()
}

// DumpAll returns events, one per line.
func DumpAll(all []events.DisplayEvent) []string {
	lines := make([]string, len(all))
	for i := range all {
		lines[i] = Dump(&all[i])
	}
	return lines
}

// tokens returns counts, including the parts of the tokens written to the cache if there are any.
func tokens(t events.Tokens) string {
	s := fmt.Sprintf("{Input:%d Output:%d CacheRead:%d CacheWrite:%d Reasoning:%d", t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Reasoning)
	if t.CacheWrite5m > 0 || t.CacheWrite1h > 0 {
		s += fmt.Sprintf(" 5m:%d 1h:%d", t.CacheWrite5m, t.CacheWrite1h)
	}
	return s + "}"
}
