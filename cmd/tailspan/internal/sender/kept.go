package sender

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/config"
)

// isKept reports whether a file holds OTLP JSON, as run or the collector's file exporter writes it, compressed or not.
func isKept(name string) (bool, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return false, nil // a folder of OpenCode's older storage, or a pipe, which can be read only once
	}
	in, err := input.Open(name, nil, io.Discard)
	if err != nil {
		return false, err
	}
	defer in.Close()
	head := make([]byte, 32)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	for _, signal := range []string{`{"resourceSpans"`, `{"resourceLogs"`, `{"resourceMetrics"`} {
		if bytes.HasPrefix(head[:n], []byte(signal)) {
			return true, nil
		}
	}
	return false, nil
}

// maxRequest bounds a request, in bytes; the collector's file exporter writes whole batches.
const maxRequest config.Size = 128 << 20

// kept sends requests unchanged, one per line.
func (s *sender) kept(ctx context.Context, name string) error {
	in, err := input.Open(name, nil, io.Discard)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := input.NewLines(input.LineSettings{Name: name, Max: maxRequest})
	whole := 0
	err = lines.Each(in, func(line []byte, abridged bool) error {
		if abridged {
			return nil // counted as too long
		}
		whole++
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if err := s.request(ctx, line); err != nil {
			return fmt.Errorf("line %d: %w", whole+lines.TooLong(), err)
		}
		return nil
	})
	if n := lines.TooLong(); err == nil && n > 0 {
		return fmt.Errorf("%s longer than %s, not sent", cli.Count(n, "line"), maxRequest)
	}
	return err
}

func (s *sender) request(ctx context.Context, line []byte) error {
	switch {
	case depthOf(line) > maxDepth:
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	case bytes.HasPrefix(line, []byte(`{"resourceSpans"`)):
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			return err
		}
		return s.deliver(ctx, td, plog.NewLogs())
	case bytes.HasPrefix(line, []byte(`{"resourceLogs"`)):
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		if err != nil {
			return err
		}
		return s.deliver(ctx, ptrace.NewTraces(), ld)
	case bytes.HasPrefix(line, []byte(`{"resourceMetrics"`)):
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			return err
		}
		s.tried += md.DataPointCount()
		return s.send(ctx, func(ctx context.Context) error {
			_, err := s.exporter.Metrics(ctx, md)
			return err
		})
	default:
		return errors.New("not OTLP JSON")
	}
}

// maxDepth bounds the nesting of objects and arrays in a request of OTLP JSON. Its decoder is recursive, and a full stack ends
// the program.
const maxDepth = 10_000

// depthOf returns the nesting depth of a JSON document.
func depthOf(document []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
