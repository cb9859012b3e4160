package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/eventjson"
	"github.com/tailspan/tailspan/events"
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
	p := eventjson.New(out)
	lines := f.newLineReader(name, src)
	var mu sync.Mutex
	var ticked error // of a write; the next line returns it
	stop := func() {}
	if name == stdinName {
		src.Live()
		stop = ticking(&mu, func() { ticked = errors.Join(ticked, p.Events(src.Tick()), p.Raw(src.Raw()), out.Flush()) })
	}
	err = lines.records(in, func(line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if ticked != nil {
			return ticked
		}
		if err := p.Events(src.ParseEvents(line)); err != nil {
			return err
		}
		if err := p.Raw(src.Raw()); err != nil || name != stdinName {
			return err
		}
		return out.Flush() // who writes may write on for hours
	})
	stop()
	if err == nil {
		err = p.Events(src.Flush())
	}
	if err == nil {
		err = p.Raw(src.Raw())
	}
	if err == nil && src.Incomplete() {
		err = p.Events([]events.DisplayEvent{incompleteEnd})
	}
	if err == nil {
		err = p.Summary(src.Provider(), src.Stats(), lines.skipped)
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
