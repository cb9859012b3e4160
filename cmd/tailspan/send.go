package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/export"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/sender"
)

var sendCommand = cli.Command{
	Name:  "send",
	Usage: []string{"[flags] FILE|DIR|GLOB..."},
	Short: "export recorded sessions, and what run could not send",
	Long: `Sends recorded sessions to an OpenTelemetry endpoint as spans and log records, and
delivers the files in which run keeps what it could not send. Reading a session again
gives the same ids. It exits with 0 if the endpoint accepted all that it takes.`,
	Examples: []cli.Example{
		{Line: "tailspan send --otlp http://localhost:4318 ~/.claude/projects", Does: "all sessions of Claude Code, with their sub-agents"},
		{
			Line: "tailspan send --pipeline nightly --run-id 17 --step fix run.jsonl",
			Does: "a recorded stream, as part of a pipeline's run, to OTEL_EXPORTER_OTLP_ENDPOINT",
		},
		{Line: "tailspan send /tmp/tailspan-unsent-*.otlp.jsonl", Does: "what run has kept since its endpoint did not accept it"},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &sending{}
		c.stream.Add(f)
		c.stream.AddContainer(f)
		c.identity.Add(f)
		c.prices.Add(f)
		f.StringVar(&c.otlp, "otlp", "", "send to this `address` by OTLP/HTTP; else OTEL_EXPORTER_OTLP_ENDPOINT counts")
		f.BoolVar(&c.redact, "redact", true, "take secrets out of sessions")
		f.DurationVar(&c.timeout, "timeout", time.Minute, "how long an endpoint that does not accept is retried")
		return c.run
	},
}

// sending is the command send.
type sending struct {
	stream   options.Stream
	identity options.Identity
	prices   options.Prices
	otlp     string
	redact   bool
	timeout  time.Duration
}

func (c *sending) run(ctx context.Context, args []string, s cli.Streams) error {
	set, err := c.settings(args)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	files, err := input.Files(args, s.Report)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if set.Redactor, err = options.NewRedactor(c.redact); err != nil {
		return err
	}
	set.Stderr = s.Err
	return sender.Send(ctx, set, files)
}

// settings returns the settings of the flags and all errors in them.
func (c *sending) settings(args []string) (sender.Settings, error) {
	set := sender.Settings{Stream: c.stream, Identity: c.identity, Timeout: c.timeout, UserAgent: export.UserAgent()}
	var pricesErr, endpointErr error
	set.Prices, pricesErr = c.prices.Read()
	set.Endpoints, endpointErr = otlphttp.FromEnvironment(os.Getenv, c.otlp)
	errs := []error{pricesErr, endpointErr}
	errs = append(errs, input.CheckNamed("send", args))
	if len(args) == 0 {
		errs = append(errs, errors.New("send needs a file, folder or glob"))
	}
	if c.timeout <= 0 {
		errs = append(errs, fmt.Errorf("--timeout must be positive, got %s", c.timeout))
	}
	if endpointErr == nil && set.Endpoints.Empty() {
		errs = append(errs, errors.New("send needs an endpoint: --otlp URL or OTEL_EXPORTER_OTLP_ENDPOINT"))
	}
	return set, errors.Join(errs...)
}
