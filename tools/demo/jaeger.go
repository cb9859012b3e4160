package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/tools/program"
)

// jaegerHTTPPort is the usual port of Jaeger. If it is in use, another one is used.
const jaegerHTTPPort = 16686

// jaegerServer is a running Jaeger.
type jaegerServer struct {
	process  *program.Process
	otlpPort string
	address  string // of the query API
}

func startJaeger(ctx context.Context, s Settings, log string) (*jaegerServer, error) {
	httpPort, errHTTP := program.FreePort(jaegerHTTPPort)
	grpcPort, errGRPC := program.FreePort(0)
	otlpPort, errOTLP := program.FreePort(0)
	if err := errors.Join(errHTTP, errGRPC, errOTLP); err != nil {
		return nil, err
	}
	j := &jaegerServer{otlpPort: otlpPort, address: "http://127.0.0.1:" + httpPort}
	environment := []string{
		"DEMO_JAEGER_HTTP_PORT=" + httpPort, "DEMO_JAEGER_GRPC_PORT=" + grpcPort, "DEMO_JAEGER_OTLP_PORT=" + otlpPort,
	}
	var err error
	if j.process, err = program.Start("Jaeger", exec.Command(s.Jaeger, "--config", s.JaegerConfig), environment, log); err != nil {
		return nil, err
	}
	err = j.process.Await(ctx, "Jaeger's query API at "+j.address, s.Timeout, func(ctx context.Context) (bool, error) {
		body, err := program.Get(ctx, j.address+"/api/services")
		if err != nil {
			return false, err
		}
		return true, body.Close()
	})
	if err != nil {
		_ = j.process.Kill() // the error of the wait is more informative
		return nil, err
	}
	return j, nil
}

// showJaeger verifies that Jaeger has every trace completely, and then keeps it running for the user.
func showJaeger(ctx context.Context, s Settings, jaeger *jaegerServer, data *otlpjson.Data) error {
	want := spanIDs(data.Traces)
	for _, trace := range slices.SortedFunc(maps.Keys(want), func(a, b pcommon.TraceID) int { return strings.Compare(a.String(), b.String()) }) {
		what := fmt.Sprintf("Jaeger to show trace %s with %d spans", trace, len(want[trace]))
		if err := jaeger.process.Await(ctx, what, s.Timeout, func(ctx context.Context) (bool, error) {
			err := jaeger.compare(ctx, trace, want[trace])
			return err == nil, err
		}); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.Stdout, "\nJaeger has all %d traces, every span and parent: %s\n", len(want), jaeger.address)
	for _, service := range services(data.Traces) {
		fmt.Fprintf(s.Stdout, "  %s/api/traces?service=%s\n", jaeger.address, url.QueryEscape(service))
	}
	fmt.Fprintln(s.Stdout, "This Jaeger is built from its Go module, which has the query API but not the pages of its user interface;\n"+
		"docker compose up starts one that has both.")
	if !s.JaegerWait {
		return nil
	}
	fmt.Fprintln(s.Stdout, "Jaeger runs until you press Ctrl-C.")
	select {
	case <-ctx.Done():
		return nil
	case <-jaeger.process.Done():
		if ctx.Err() != nil { // the terminal sends Ctrl-C to both processes
			return nil
		}
		return fmt.Errorf("keep Jaeger running: %w", jaeger.process.Ended())
	}
}

// compare queries one trace and reports how it differs from the spans that were sent: span ID to parent ID.
func (j *jaegerServer) compare(ctx context.Context, trace pcommon.TraceID, want map[string]string) error {
	body, err := program.Get(ctx, j.address+"/api/traces/"+trace.String())
	if err != nil {
		return err
	}
	defer body.Close()
	var answer struct {
		Data []struct {
			Spans []struct {
				SpanID     string `json:"spanID"`
				References []struct {
					RefType string `json:"refType"`
					SpanID  string `json:"spanID"`
				} `json:"references"`
			} `json:"spans"`
		} `json:"data"`
	}
	if err := json.NewDecoder(program.Limit(body)).Decode(&answer); err != nil {
		return fmt.Errorf("parse trace: %w", err)
	}
	got := map[string]string{}
	for _, t := range answer.Data {
		for _, s := range t.Spans {
			got[s.SpanID] = ""
			for _, r := range s.References {
				if r.RefType == "CHILD_OF" {
					got[s.SpanID] = r.SpanID
				}
			}
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d spans there", len(got))
	}
	for id, parent := range want {
		if has, ok := got[id]; !ok || has != parent {
			return fmt.Errorf("span %s: parent %q there, %q sent", id, has, parent)
		}
	}
	return nil
}

// spanIDs returns for each trace its spans and their parents, as hexadecimal IDs.
func spanIDs(requests []ptrace.Traces) map[pcommon.TraceID]map[string]string {
	traces := map[pcommon.TraceID]map[string]string{}
	for _, request := range requests {
		for _, resource := range request.ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, s := range scope.Spans().All() {
					if traces[s.TraceID()] == nil {
						traces[s.TraceID()] = map[string]string{}
					}
					traces[s.TraceID()][s.SpanID().String()] = s.ParentSpanID().String()
				}
			}
		}
	}
	return traces
}

// services returns the service names of all resources, sorted.
func services(requests []ptrace.Traces) []string {
	names := map[string]struct{}{}
	for _, request := range requests {
		for _, resource := range request.ResourceSpans().All() {
			if name, ok := resource.Resource().Attributes().Get("service.name"); ok {
				names[name.AsString()] = struct{}{}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
