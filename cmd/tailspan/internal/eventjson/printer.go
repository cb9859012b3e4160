// Package eventjson prints events as JSON, one object a line, for programs: what `tailspan events` prints.
package eventjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// Printer writes events as JSON, one object a line, and sums up their usage.
type Printer struct {
	enc   *json.Encoder
	total events.UsageTotal
	calls int
	fails int
}

// New makes a Printer.
func New(w io.Writer) *Printer {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Printer{enc: enc}
}

// Events writes events.
func (p *Printer) Events(all []events.DisplayEvent) error {
	for i := range all {
		e := &all[i]
		switch e.Kind {
		case events.KindUsage:
			p.total.Add(e.Model, e.Usage)
		case events.KindToolUse:
			p.calls++
		case events.KindToolResult:
			if e.Tool.Error {
				p.fails++
			}
		}
		if err := p.enc.Encode(newEventJSON(e)); err != nil {
			return fmt.Errorf("write event: %w", err)
		}
	}
	return nil
}

// rawJSON is a line of no known provider.
type rawJSON struct {
	Kind string `json:"kind"`
	Line string `json:"line"`
}

// Raw writes lines of no known provider.
func (p *Printer) Raw(lines [][]byte) error {
	for _, line := range lines {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if err := p.enc.Encode(rawJSON{Kind: "raw", Line: string(line)}); err != nil {
			return fmt.Errorf("write line: %w", err)
		}
	}
	return nil
}

// tokensJSON spells tokens out.
type tokensJSON struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
	Reasoning  int64 `json:"reasoning_tokens,omitempty"`
	Write5m    int64 `json:"cache_write_5m_tokens,omitempty"`
	Write1h    int64 `json:"cache_write_1h_tokens,omitempty"`
}

func newTokensJSON(t events.Tokens) tokensJSON {
	return tokensJSON{t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Reasoning, t.CacheWrite5m, t.CacheWrite1h}
}

// summaryJSON is the last line.
type summaryJSON struct {
	Kind          string         `json:"kind"`
	Provider      string         `json:"provider,omitempty"`
	Lines         int            `json:"lines"`
	Malformed     int            `json:"malformed"`
	Unknown       int            `json:"unknown"`
	Ignored       int            `json:"ignored"`
	Passed        int            `json:"passed"`
	TooLong       int            `json:"too_long,omitempty"`
	Dropped       int            `json:"dropped,omitempty"`
	Events        int            `json:"events"`
	ToolCalls     int            `json:"tool_calls"`
	ToolErrors    int            `json:"tool_errors"`
	UnknownTypes  map[string]int `json:"unknown_types,omitempty"`
	Implausible   map[string]int `json:"implausible_numbers,omitempty"`
	Usage         tokensJSON     `json:"usage"`
	ProviderUsage tokensJSON     `json:"provider_usage"`
	CostUSD       *float64       `json:"cost_usd,omitempty"`
}

// Summary writes the last line. tooLong is how many lines were too long.
func (p *Printer) Summary(provider string, stats parser.Stats, tooLong int) error {
	total := p.total.Sum()
	s := summaryJSON{
		Kind: "summary", Provider: provider, Lines: stats.Lines, Malformed: stats.Malformed, Unknown: stats.Unknown,
		Ignored: stats.Ignored, Passed: stats.Passed, TooLong: tooLong, Dropped: stats.Dropped, Events: stats.Events,
		ToolCalls: p.calls, ToolErrors: p.fails, UnknownTypes: stats.UnknownTypes,
		Usage: newTokensJSON(total.Tokens), ProviderUsage: newTokensJSON(total.Provider),
	}
	for kind, n := range stats.Numbers {
		if n > 0 {
			if s.Implausible == nil {
				s.Implausible = map[string]int{}
			}
			s.Implausible[events.Number(kind).String()] = n
		}
	}
	if total.HasCost {
		s.CostUSD = &total.CostUSD
	}
	if err := p.enc.Encode(s); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

// seconds converts a duration for JSON; nil if it is unknown.
func seconds(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	s := d.Seconds()
	return &s
}
