package main

import (
	"context"
	"fmt"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/eventjson"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
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
	stream := eventjson.Stream{Lines: c.stream.Lines(name, src), In: in, Events: src, Live: name == input.Stdin}
	return stream.To(s.Out)
}

// oneFile is the file that arguments name.
func oneFile(command string, args []string) (string, error) {
	if len(args) != 1 {
		return "", cli.UsageError{Err: fmt.Errorf("%s needs one file, or - for standard input; got %s", command, cli.Count(len(args), "argument"))}
	}
	return args[0], nil
}
