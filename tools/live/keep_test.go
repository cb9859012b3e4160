package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// keep copies the files of a scenario to the folder that TAILSPAN_KEEP names: streams, transcripts, what the model served,
// and both exports.
func (s *stage) keep(name string) {
	s.t.Helper()
	dir := os.Getenv("TAILSPAN_KEEP")
	if dir == "" {
		return
	}
	dir = filepath.Join(dir, name)
	require.NoError(s.t, os.RemoveAll(dir))
	require.NoError(s.t, os.MkdirAll(dir, 0o700))
	for i, p := range s.processes {
		b, err := os.ReadFile(p.raw)
		require.NoError(s.t, err)
		for name, data := range map[string][]byte{"run%d.jsonl": b, "run%d.log": []byte(p.log), "run%d.messages": []byte(p.messages)} {
			require.NoError(s.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i+1)), data, 0o600))
		}
	}
	for i, served := range s.model.Served() {
		require.NoError(s.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("request%d.json", i+1)), served.Request.Body, 0o600))
	}
	b, err := json.MarshalIndent(s.model.Served(), "", " ")
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(dir, "served.json"), b, 0o600))
	require.NoError(s.t, os.CopyFS(filepath.Join(dir, "home"), os.DirFS(s.home)))
	for name, spans := range map[string]*sink{"run": s.stream, "collector": s.transcript} {
		var out []byte
		for _, traces := range spans.all() {
			line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
			require.NoError(s.t, err)
			out = append(append(out, line...), '\n')
		}
		require.NoError(s.t, os.WriteFile(filepath.Join(dir, name+".traces.jsonl"), out, 0o600))
	}
}
