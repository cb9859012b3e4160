package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/telemetry"
)

// errProblems is the end of a check that found something.
var errProblems = errors.New("the export has problems")

// runDoctor checks an export that the collector's file exporter wrote: every parent exists in its trace, one root a
// trace, no span twice, children inside parents, every span with what it must have. It prints what is in the export and
// what is wrong with it.
func runDoctor(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	otlp := flags.Bool("otlp", false, "check the files as OTLP JSON, a request a line")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: tailspan doctor --otlp FILE...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return errHelp
		}
		return usageError{err}
	}
	if !*otlp || flags.NArg() == 0 {
		return usageError{errors.New("want --otlp and the files to check")}
	}
	data, err := otlpjson.ReadFiles(flags.Args()...)
	if err != nil {
		return usageError{err}
	}
	summary := otlpjson.Summarize(data)
	if _, err := summary.WriteTo(stdout); err != nil {
		return err
	}
	var problems []string
	for _, p := range otlpjson.Check(data.Traces...) {
		problems = append(problems, p.String())
	}
	problems = append(problems, missingAttributes(data.Traces)...)
	slices.Sort(problems)
	for _, p := range problems {
		fmt.Fprintln(stdout, "problem:", p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: %d", errProblems, len(problems))
	}
	_, err = fmt.Fprintln(stdout, "no problems")
	return err
}

// missingAttributes lists spans that lack what the conventions or our design ask of them.
func missingAttributes(traces []ptrace.Traces) (problems []string) {
	for _, td := range traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				if ss.Scope().Name() != telemetry.ScopeName {
					continue
				}
				for _, span := range ss.Spans().All() {
					for _, key := range requiredOf(span) {
						if _, ok := span.Attributes().Get(key); !ok {
							problems = append(problems, fmt.Sprintf("missing_attribute: trace %s span %s %q lacks %s", span.TraceID(), span.SpanID(), span.Name(), key))
						}
					}
				}
			}
		}
	}
	return problems
}

func requiredOf(span ptrace.Span) []string {
	required := []string{telemetry.AttrTimeSource}
	operation, ok := span.Attributes().Get(telemetry.AttrGenAIOperationName)
	if !ok {
		return required // a pipeline or a step
	}
	required = append(required, telemetry.AttrCloseReason)
	if operation.Str() == telemetry.OperationExecuteTool {
		required = append(required, telemetry.AttrGenAIToolName, telemetry.AttrGenAIToolType)
	}
	if span.Status().Code() == ptrace.StatusCodeError {
		required = append(required, telemetry.AttrErrorType)
	}
	return required
}
