package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/eventjson"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/events"
)

var eventsCommand = cli.Command{
	Name:  "events",
	Usage: []string{"[flags] FILE", "[flags] -     reads standard input"},
	Short: "print one JSON object per event, last a summary",
	Long: `Prints the events of a stream as JSON, one object a line, and last a summary
of all lines: how many, how many malformed or unknown, and the tokens.`,
	Examples: []cli.Example{
		{Line: "tailspan events run.jsonl", Does: "every event of a recorded stream"},
		{Line: "tailspan events session.jsonl | jq -r 'select(.kind == \"tool_use\") | .name'", Does: "the tools that a session called"},
		{Line: "claude -p '...' --output-format stream-json --verbose | tailspan events --redact -", Does: "the events of a running agent, without secrets"},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &eventing{}
		c.stream.Add(f)
		c.stream.AddContainer(f)
		f.BoolVar(&c.redact, "redact", false, "take secrets out")
		return c.run
	},
}

// eventing is the command events.
type eventing struct {
	stream options.Stream
	redact bool
}

func (c *eventing) run(_ context.Context, args []string, s cli.Streams) error {
	name, err := oneFile("events", args)
	if err != nil {
		return err
	}
	redactor, err := options.NewRedactor(c.redact)
	if err != nil {
		return err
	}
	src, err := c.stream.Events(redactor)
	if err != nil {
		return err
	}
	in, err := input.Open(name, s.In, s.Err)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriterSize(s.Out, input.BufferSize)
	p := eventjson.New(out)
	lines := c.stream.Lines(name, src)
	var mu sync.Mutex
	var ticked error // of a write; the next line returns it
	stop := func() {}
	if name == input.Stdin {
		src.Live()
		stop = show.Ticking(&mu, func() { ticked = errors.Join(ticked, p.Events(src.Tick()), p.Raw(src.Raw()), out.Flush()) })
	}
	err = lines.Records(in, func(line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if ticked != nil {
			return ticked
		}
		if err := p.Events(src.ParseEvents(line)); err != nil {
			return err
		}
		if err := p.Raw(src.Raw()); err != nil || name != input.Stdin {
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
		err = p.Summary(src.Provider(), src.Stats(), lines.TooLong())
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

// oneFile is the file that arguments name.
func oneFile(command string, args []string) (string, error) {
	if len(args) != 1 {
		return "", cli.UsageError{Err: fmt.Errorf("%s needs one file, or - for standard input; got %s", command, cli.Count(len(args), "argument"))}
	}
	return args[0], nil
}
