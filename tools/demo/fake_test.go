package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// The test binary replaces the two programs that the demo runs. The environment determines its behaviour.
const (
	fakeCollector = "DEMO_FAKE_COLLECTOR"
	fakeJaeger    = "DEMO_FAKE_JAEGER"
	fakeSpans     = "DEMO_FAKE_SPANS" // where Jaeger finds what the collector wrote
)

func TestMain(m *testing.M) {
	switch {
	// Only Jaeger receives Jaeger's ports, which distinguishes the two.
	case os.Getenv("DEMO_JAEGER_HTTP_PORT") != "":
		runFakeJaeger(os.Getenv(fakeJaeger))
	case os.Getenv("DEMO_METRICS_PORT") != "":
		runFakeCollector(os.Getenv(fakeCollector))
	default:
		goleak.VerifyTestMain(m)
	}
}

// runFakeCollector serves a counter that grows with each request, and writes its output when it is interrupted.
func runFakeCollector(behaviour string) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	if behaviour == "crash" {
		fmt.Fprintln(os.Stderr, "boom: no such receiver")
		os.Exit(3)
	}
	var paths []string
	if err := json.Unmarshal([]byte(os.Getenv("DEMO_SAMPLES")), &paths); err != nil {
		panic(err)
	}
	want := 0
	for _, path := range paths {
		lines, err := countFile(path)
		if err != nil {
			panic(err)
		}
		want += lines
	}
	var looks atomic.Int64
	serveFake(os.Getenv("DEMO_METRICS_PORT"), func(w http.ResponseWriter, _ *http.Request) {
		lines := min(int(looks.Add(1)), want)
		if behaviour == "stuck" {
			lines = 0
		}
		fmt.Fprintf(w, "# TYPE x counter\n%s_total{kind=\"a b\"} %d\n%[1]s_total{kind=\"c\"} 1\n", linesMetric, lines-1)
	})
	fmt.Println("[tool: Read(README.md)]")
	<-interrupted
	if behaviour == "deaf" {
		select {}
	}
	writeFake(os.Getenv("DEMO_OUT"), behaviour)
	os.Exit(0)
}

func writeFake(folder, behaviour string) {
	traces := ptrace.NewTraces()
	if behaviour != "empty" {
		resource := traces.ResourceSpans().AppendEmpty()
		resource.Resource().Attributes().PutStr("service.name", "claude-code")
		spans := resource.ScopeSpans().AppendEmpty().Spans()
		run := spans.AppendEmpty()
		run.SetTraceID(pcommon.TraceID{15: 1})
		run.SetSpanID(pcommon.SpanID{7: 1})
		run.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
		tool := spans.AppendEmpty()
		tool.SetTraceID(pcommon.TraceID{15: 1})
		tool.SetSpanID(pcommon.SpanID{7: 2})
		tool.SetParentSpanID(pcommon.SpanID{7: 1})
		if behaviour == "orphan" {
			tool.SetParentSpanID(pcommon.SpanID{7: 9})
		}
	}
	logs := plog.NewLogs()
	if behaviour != "mute" {
		logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("hello")
	}
	spanLine, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		panic(err)
	}
	logLine, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	if err != nil {
		panic(err)
	}
	for name, line := range map[string][]byte{"spans.jsonl": spanLine, "records.jsonl": logLine} {
		if err := os.WriteFile(filepath.Join(folder, name), append(line, '\n'), 0o600); err != nil {
			panic(err)
		}
	}
}

// runFakeJaeger answers with the spans that the collector left in a file.
func runFakeJaeger(behaviour string) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	var looks atomic.Int64
	serveFake(os.Getenv("DEMO_JAEGER_HTTP_PORT"), func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/services" {
			return
		}
		data, err := otlpjson.ReadFiles(os.Getenv(fakeSpans))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		type reference struct {
			RefType string `json:"refType"`
			SpanID  string `json:"spanID"`
		}
		type span struct {
			SpanID     string      `json:"spanID"`
			References []reference `json:"references"`
		}
		var spans []span
		for trace, ids := range spanIDs(data.Traces) {
			if !strings.HasSuffix(r.URL.Path, trace.String()) {
				continue
			}
			for id, parent := range ids {
				s := span{SpanID: id}
				if parent != "" {
					s.References = append(s.References, reference{"CHILD_OF", parent})
				}
				spans = append(spans, s)
			}
		}
		if behaviour == "forgetful" {
			spans = spans[:1]
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": []any{map[string]any{"spans": spans}}})
		if behaviour == "forgetful" && looks.Add(1) > 1 {
			os.Exit(0)
		}
	})
	<-interrupted
	os.Exit(0)
}

func serveFake(port string, handle http.HandlerFunc) {
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	go func() { panic(http.Serve(listener, handle)) }()
}
