// Package exportcheck checks an export of the collector's file exporter: parents exist in their trace, a trace has one root, no
// span occurs twice, children lie inside their parents, and spans have their required attributes.
package exportcheck

import (
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
)

// Read reads the files of an export. A file that is no export is a problem.
func Read(paths []string) (data *otlpjson.Data, problems []string, err error) {
	data = &otlpjson.Data{}
	for _, path := range paths {
		one, err := readFile(path)
		if err != nil {
			return nil, nil, err
		}
		if problem := notOTLP(path, one); problem != "" {
			problems = append(problems, problem)
		}
		data.Add(one)
	}
	return data, problems, nil
}

func readFile(path string) (*otlpjson.Data, error) {
	in, err := input.Open(path, nil, io.Discard)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := otlpjson.Read(in)
	if err != nil && !errors.As(err, &input.Error{}) { // which names the file
		err = fmt.Errorf("read %q: %w", path, err)
	}
	return data, err
}

// Problems lists the problems of an export.
func Problems(data *otlpjson.Data) []string {
	return append(structure(otlpjson.Check(data.Traces...)), missingAttributes(data.Traces)...)
}

// Describe prints the contents of an export. A trace below a span of someone else is a note.
func Describe(data *otlpjson.Data, w io.Writer) error {
	if !data.Empty() {
		summary := otlpjson.Summarize(data)
		if _, err := summary.WriteTo(w); err != nil {
			return err
		}
	}
	for _, outer := range otlpjson.Outers(data.Traces...) {
		if _, err := fmt.Fprintln(w, "note:", outer); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

// structure returns one line per problem. A trace without its root is one problem, not one more for each span without its parent:
// its run has usually not ended yet.
func structure(found []otlpjson.Problem) []string {
	orphans := map[string]int{} // by trace; only traces without a root
	for _, p := range found {
		if p.Kind == otlpjson.ProblemNoRoot {
			orphans[p.TraceID] = 0
		}
	}
	for _, p := range found {
		if n, ok := orphans[p.TraceID]; ok && p.Kind == otlpjson.ProblemMissingParent {
			orphans[p.TraceID] = n + 1
		}
	}
	var lines []string
	for _, p := range found {
		n, rootless := orphans[p.TraceID]
		switch {
		case rootless && p.Kind == otlpjson.ProblemMissingParent: // part of the line of its trace
		case rootless && p.Kind == otlpjson.ProblemNoRoot && n > 0:
			lines = append(lines, fmt.Sprintf("%s; %d of its spans miss their parents: the run was not over when this was written "+
				"(one whose file has no end line is over after idle_close), or its span is lost or in another file", p, n))
		default:
			lines = append(lines, p.String())
		}
	}
	return lines
}

// notOTLP says why a file is no export, or only part of one.
func notOTLP(path string, data *otlpjson.Data) string {
	switch {
	case data.Foreign > 0 && data.Empty():
		return fmt.Sprintf("no_export: %q holds no OTLP request (resourceSpans, resourceLogs, resourceMetrics); "+
			"the %d objects in it are something else", path, data.Foreign)
	case data.Foreign > 0:
		return fmt.Sprintf("no_request: %d objects in %q are no OTLP requests", data.Foreign, path)
	case data.Empty():
		return fmt.Sprintf("no_export: %q is empty", path)
	default:
		return ""
	}
}

// missingAttributes lists spans that lack attributes required by the conventions or by our design.
func missingAttributes(traces []ptrace.Traces) (problems []string) {
	for _, td := range traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				if ss.Scope().Name() != otlp.ScopeName {
					continue
				}
				for _, span := range ss.Spans().All() {
					problems = append(problems, missingIn(span)...)
				}
			}
		}
	}
	return problems
}

func missingIn(span ptrace.Span) (problems []string) {
	for _, key := range requiredOf(span) {
		if _, ok := span.Attributes().Get(key); !ok {
			at := fmt.Sprintf("trace %s span %s %q", span.TraceID(), span.SpanID(), span.Name())
			problems = append(problems, "missing_attribute: "+at+" lacks "+key)
		}
	}
	return problems
}

func requiredOf(span ptrace.Span) []string {
	operation, ok := span.Attributes().Get(otlp.AttrGenAIOperationName)
	if !ok {
		return nil // a pipeline or a step
	}
	required := []string{otlp.AttrCloseReason}
	if operation.Str() == otlp.OperationExecuteTool {
		required = append(required, otlp.AttrGenAIToolName, otlp.AttrGenAIToolType)
	}
	if span.Status().Code() == ptrace.StatusCodeError {
		required = append(required, otlp.AttrErrorType)
	}
	return required
}
