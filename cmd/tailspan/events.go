package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

const eventsSynopsis = `Prints the events of a stream as JSON, one object a line, and last a summary
of all lines: how many, how many malformed or unknown, and the tokens.`

func runEvents(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := newFlags("events", eventsSynopsis, stderr)
	f.addContainer()
	hide := f.Bool("redact", false, "take secrets out")
	name, err := f.source(args)
	if err != nil {
		return err
	}
	redactor, err := newRedactor(*hide)
	if err != nil {
		return err
	}
	src, err := f.events(redactor)
	if err != nil {
		return err
	}
	in, err := openInput(name, stdin, stderr)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriterSize(stdout, readBytes)
	p := newEventPrinter(out)
	lines := f.newLineReader(name, src)
	var mu sync.Mutex
	var ticked error // of a write; the next line returns it
	stop := func() {}
	if name == stdinName {
		src.Live()
		stop = ticking(&mu, func() { ticked = errors.Join(ticked, p.events(src.Tick()), p.raw(src.Raw()), out.Flush()) })
	}
	err = lines.records(in, func(line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if ticked != nil {
			return ticked
		}
		if err := p.events(src.ParseEvents(line)); err != nil {
			return err
		}
		if err := p.raw(src.Raw()); err != nil || name != stdinName {
			return err
		}
		return out.Flush() // who writes may write on for hours
	})
	stop()
	if err == nil {
		err = p.events(src.Flush())
	}
	if err == nil {
		err = p.raw(src.Raw())
	}
	if err == nil && src.Incomplete() {
		err = p.events([]events.DisplayEvent{incompleteEnd})
	}
	if err == nil {
		err = p.summary(src.Provider(), src.Stats(), lines.skipped)
	}
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write events: %w", flushed)
	}
	return err
}

// incompleteEnd replaces the end that a stream should contain and does not: its program was killed, or its last write was
// cut.
var incompleteEnd = events.DisplayEvent{
	Kind: events.KindSessionEnded,
	End:  &events.End{Error: true, Code: "incomplete", Err: "the stream ended before its result"},
}

// eventPrinter writes events as JSON and sums up their usage.
type eventPrinter struct {
	enc   *json.Encoder
	total events.UsageTotal
	calls int
	fails int
}

func newEventPrinter(w io.Writer) *eventPrinter {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &eventPrinter{enc: enc}
}

func (p *eventPrinter) events(all []events.DisplayEvent) error {
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

func (p *eventPrinter) raw(lines [][]byte) error {
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

func (p *eventPrinter) summary(provider string, stats parser.Stats, tooLong int) error {
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
