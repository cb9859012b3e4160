package main

import (
	"context"
	"errors"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/eventjson"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/streams"
	"github.com/tailspan/tailspan/config"
)

var eventsCommand = cli.Command{
	Name:  "events",
	Usage: []string{"[flags] FILE|DIR|GLOB...", "[flags] -     reads standard input"},
	Short: "print one JSON object per event, last a summary",
	Long: `Prints the events of streams and sessions as JSON, one object a line, and last a summary of
all lines: how many, how many malformed or unknown, and the tokens. With --follow it prints
them as they are written. docs/events.schema.json is the schema of a line.`,
	Examples: []cli.Example{
		{Line: "tailspan events --follow 'runs/**/*.jsonl'", Does: "every event of all runs below a folder while they are written"},
		{Line: "tailspan events session.jsonl | jq -r 'select(.kind == \"tool_use\") | .name'", Does: "the tools that a session called"},
		{
			Line: "claude -p '...' --output-format stream-json --verbose | tailspan events --redact -",
			Does: "the events of a running agent, without secrets",
		},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &eventing{}
		c.stream.Add(f)
		c.stream.AddContainer(f)
		c.identity.Add(f)
		f.BoolVar(&c.redact, "redact", false, "take secrets out")
		f.BoolVar(&c.follow, "follow", false, "read files while they are written, and those that come later, until Ctrl-C")
		return c.run
	},
}

// eventing is the command events.
type eventing struct {
	stream         options.Stream
	identity       options.Identity
	redact, follow bool
}

func (c *eventing) run(ctx context.Context, args []string, s cli.Streams) error {
	redactor, err := options.NewRedactor(c.redact)
	if err != nil {
		return err
	}
	read := streams.Settings{
		Stream: c.stream, Identity: c.identity, Redactor: redactor, Streams: s,
		Follow: c.follow, IdleClose: config.NewDefaultStream().IdleClose,
	}
	printer := eventjson.New(s.Out)
	read.Open = func(o streams.Origin) (streams.Stream, error) {
		src, err := c.stream.QuotedEvents(redactor)
		if err != nil {
			return nil, err
		}
		from := eventjson.OriginOf(o.Identity)
		if len(args) != 1 || o.Name != args[0] {
			from.File = o.Name
		}
		return &reported{printer.Open(&eventjson.Stream{Events: src, Origin: from, Live: o.Live}), func(tooLong int) {
			losses := show.Losses{
				Name: o.Name, Args: args, Stream: c.stream, Look: &options.Look{}, Stats: src.Stats(), Last: src.PlainText().Last, TooLong: tooLong,
			}
			losses.Report(s.Err)
		}}, nil
	}
	if err = read.Run(ctx, args); err == nil || errors.As(err, &streams.Unread{}) {
		err = errors.Join(err, printer.Summary())
	}
	if flushed := printer.Flush(); err == nil {
		err = flushed // most often the same error again
	}
	return err
}
