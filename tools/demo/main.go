package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, parseFlags())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func parseFlags() Settings {
	s := Settings{Stdout: os.Stdout}
	flag.StringVar(&s.Collector, "collector", "bin/otelcol-tailspan", "the collector `program`")
	flag.StringVar(&s.Config, "config", "deploy/config/demo.yaml", "its `configuration`")
	flag.StringVar(&s.Samples, "samples", "deploy/samples.txt", "a `list` of the sample sessions, one path a line")
	flag.StringVar(&s.Out, "out", "build/demo", "the `folder` that spans, records and logs are written to")
	flag.DurationVar(&s.Timeout, "timeout", 2*time.Minute, "time limit of each step")
	flag.StringVar(&s.Jaeger, "jaeger", "", "the Jaeger `program`; empty for none")
	flag.StringVar(&s.JaegerConfig, "jaeger-config", "tools/demo/jaeger.yaml", "its `configuration`")
	flag.StringVar(&s.JaegerExport, "jaeger-export", "tools/demo/jaeger-export.yaml", "what the collector's `configuration` gets in addition")
	flag.BoolVar(&s.JaegerWait, "jaeger-wait", true, "keep Jaeger running until Ctrl-C")
	flag.Parse()
	return s
}
