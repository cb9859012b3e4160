package eventjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
)

// Printer writes events as JSON, one object per line, and sums up their usage.
type Printer struct {
	out     *bufio.Writer
	enc     *json.Encoder
	total   events.UsageTotal
	summary summaryJSON
}

// New returns a Printer. [Printer.Flush] writes what it has buffered.
func New(w io.Writer) *Printer {
	out := bufio.NewWriterSize(w, input.BufferSize)
	return &Printer{out: out, enc: cli.NewJSONEncoder(out)}
}

// Flush writes the buffered output.
func (p *Printer) Flush() error {
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

// Origin is what each line says about its input. Empty fields are left out.
type Origin struct {
	// Provider is the format of the input, once known.
	Provider string `json:"provider,omitempty"`
	// Pipeline, Step and Persona identify whose work the input is.
	Pipeline string `json:"pipeline,omitempty"`
	Step     string `json:"step,omitempty"`
	Persona  string `json:"persona,omitempty"`
	// File is the input if there are several.
	File string `json:"file,omitempty"`
}

// OriginOf returns the origin of an input with this identity.
func OriginOf(id otlp.Identity) Origin {
	return Origin{Pipeline: id.Value(otlp.AttrPipelineName), Step: id.Value(otlp.AttrTaskName), Persona: id.Value(otlp.AttrGenAIAgentName)}
}

// Events writes events of one input.
func (p *Printer) Events(all []events.DisplayEvent, from *Origin) error {
	for i := range all {
		e := &all[i]
		switch e.Kind {
		case events.KindUsage:
			p.total.Add(e.Model, e.Usage)
		case events.KindToolUse:
			p.summary.ToolCalls++
		case events.KindToolResult:
			if e.Tool.Error {
				p.summary.ToolErrors++
			}
		}
		j := newEventJSON(e)
		j.Origin = from
		if err := p.enc.Encode(j); err != nil {
			return fmt.Errorf("write event: %w", err)
		}
	}
	return nil
}

// rawJSON is a line of an unknown provider.
type rawJSON struct {
	Kind string `json:"kind"`
	Line string `json:"line"`
	*Origin
}

// Raw writes lines of an unknown provider.
func (p *Printer) Raw(lines [][]byte, from *Origin) error {
	for _, line := range lines {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if err := p.enc.Encode(rawJSON{Kind: "raw", Line: string(line), Origin: from}); err != nil {
			return fmt.Errorf("write line: %w", err)
		}
	}
	return nil
}

// tokensJSON is the JSON form of token counts.
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
	Provider      string         `json:"provider,omitempty"` // of inputs with a known provider
	Files         int            `json:"files,omitempty"`    // where there are several
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

// severalProviders replaces the provider if inputs have different ones.
const severalProviders = "several"

// maxUnknownTypes bounds the unknown types that are named, over all inputs.
const maxUnknownTypes = 256

// count adds the counts of an input that has ended; tooLong is the number of its overlong lines.
func (p *Printer) count(provider string, stats parser.Stats, tooLong int) {
	s := &p.summary
	switch {
	case s.Provider == "":
		s.Provider = provider
	case provider != "" && provider != s.Provider:
		s.Provider = severalProviders
	}
	s.Files++
	s.Lines, s.Malformed, s.Unknown = s.Lines+stats.Lines, s.Malformed+stats.Malformed, s.Unknown+stats.Unknown
	s.Ignored, s.Passed, s.Dropped = s.Ignored+stats.Ignored, s.Passed+stats.Passed, s.Dropped+stats.Dropped
	s.TooLong, s.Events = s.TooLong+tooLong, s.Events+stats.Events
	for name, n := range stats.UnknownTypes {
		if _, known := s.UnknownTypes[name]; !known && len(s.UnknownTypes) >= maxUnknownTypes {
			name = parser.OtherTypes
		}
		add(&s.UnknownTypes, name, n)
	}
	for kind, n := range stats.Numbers {
		add(&s.Implausible, events.Number(kind).String(), n)
	}
}

func add(counts *map[string]int, name string, n int) {
	if n == 0 {
		return
	}
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[name] += n
}

// Summary writes the last line: the counts of all inputs that have ended.
func (p *Printer) Summary() error {
	s, total := p.summary, p.total.Sum()
	s.Kind, s.Usage, s.ProviderUsage = "summary", newTokensJSON(total.Tokens), newTokensJSON(total.Provider)
	if s.Files == 1 {
		s.Files = 0
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
	s := otlp.Seconds(d)
	return &s
}
