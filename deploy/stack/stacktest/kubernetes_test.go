package stacktest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/program"
)

// pods is the response of the API server of checkKubernetes.
const pods = `{"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [{
	"metadata": {"name": "fix-7x2", "namespace": "ci", "uid": "0b9e", "labels": {"example.com/team": "shop"}, "creationTimestamp": "2026-11-01T12:00:00Z"},
	"spec": {"nodeName": "node-1"}, "status": {"phase": "Running", "podIP": "10.0.0.7", "startTime": "2026-11-01T12:00:00Z"}
}]}`

// checkKubernetes runs deploy/stack/config/kubernetes.yaml with an API server that knows one pod: the telemetry of the pod's
// agent has the attributes of the path and those that the API server has for the pod.
func checkKubernetes(t *testing.T, collector string) {
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query(); {
		case r.URL.Path != "/api/v1/pods" || query.Get("fieldSelector") != "spec.nodeName=node-1":
			http.NotFound(w, r)
		case query.Get("sendInitialEvents") != "":
			http.Error(w, "not supported", http.StatusBadRequest) // as older servers respond
		case query.Get("watch") != "":
			w.Header().Set("Content-Type", "application/json")
			assert.NoError(t, http.NewResponseController(w).Flush())
			<-r.Context().Done() // nothing changes
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, pods)
		}
	}))
	t.Cleanup(api.Close)
	kept := &backend{}
	sink := httptest.NewServer(kept)
	t.Cleanup(sink.Close)
	address, err := url.Parse(api.URL)
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(address.Host)
	require.NoError(t, err)

	folder, output := t.TempDir(), filepath.Join(t.TempDir(), "collector.log")
	recording, err := os.ReadFile(filepath.Join(root, "testdata", "claude", "parity.jsonl"))
	require.NoError(t, err)
	var log strings.Builder
	for line := range strings.Lines(string(recording)) {
		log.WriteString(time.Now().UTC().Format(time.RFC3339Nano) + " stdout F " + line)
	}
	path := filepath.Join(folder, "ci_fix-7x2_0b9e", "fix", "0.log")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(log.String()), 0o600))

	process, err := program.Start("collector", exec.Command(collector, "--config", "../config/kubernetes.yaml"), []string{
		"KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port, "KUBERNETES_AUTH=none", "NODE=node-1",
		"PODS=" + folder, "START_AT=beginning", "STORAGE=" + t.TempDir(), "BACKEND=" + sink.URL,
	}, output)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, process.Stop(program.StopGrace))
		if text, err := os.ReadFile(output); err == nil && t.Failed() {
			t.Logf("the collector:\n%s", text)
		}
	})

	waitUntil(t, time.Minute, "the run is exported", func(context.Context) error {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		for _, span := range kept.spans {
			if span.Name() == "invoke_agent claude-code" {
				return nil
			}
		}
		return errors.New("no span of a run")
	})
	kept.mu.Lock()
	defer kept.mu.Unlock()
	assert.Greater(t, len(kept.spans), 5)
	for i, has := range kept.resources {
		for key, want := range map[string]any{
			"k8s.namespace.name": "ci", "k8s.pod.name": "fix-7x2", "k8s.pod.uid": "0b9e", "cicd.pipeline.task.name": "fix",
			"k8s.node.name": "node-1", "k8s.pod.start_time": "2026-11-01T12:00:00Z", "team": "shop",
		} {
			assert.Equal(t, want, has[key], "%s of %s", key, kept.spans[i].Name())
		}
	}
}
