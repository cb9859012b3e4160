package usage_test

import (
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/usage"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/poll/opencodedb"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

const (
	testdata = "../../../../testdata"
	patience = time.Minute
)

// TestSameAsReceiver compares the metrics that the receiver exports for every recording with the sums of the same files.
func TestSameAsReceiver(t *testing.T) {
	for name, set := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, size := t.TempDir(), int64(0)
			for _, file := range set.files {
				rel, err := filepath.Rel(set.root, file)
				require.NoError(t, err)
				size += copyOld(t, file, filepath.Join(folder, rel))
			}
			want := exported(t, "otelcol_receiver_agent_stream_bytes", size, func(cfg *agentstreamreceiver.Config) {
				cfg.Stream.Include = []string{filepath.Join(folder, "**", "*")}
			})
			assert.Equal(t, want, addedUp(t, inFolder(t, folder)...))
		})
	}
}

// TestSameAsReceiverOfDatabase compares both on a database of OpenCode's.
func TestSameAsReceiverOfDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	unpack(t, filepath.Join(testdata, "opencode", "db", "sample.opencode.db.gz"), path)
	rows, err := opencodedb.Open(path, opencodedb.Settings{})
	require.NoError(t, err)
	all, err := io.ReadAll(rows)
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	lines := int64(strings.Count(string(all), "\n"))
	want := exported(t, "otelcol_receiver_agent_stream_lines", lines, func(cfg *agentstreamreceiver.Config) {
		cfg.Stream.Databases = []string{path}
	})
	require.NotEmpty(t, want)
	assert.Equal(t, want, addedUp(t, path))
}

// recording is a set of files that are read together.
type recording struct {
	root  string
	files []string
}

// recordings returns all recordings: each file alone, the files of a session with those of its sub-agents and forks, and all
// transcripts of a provider. (Of a stream and a transcript of one session the receiver counts the one that it reads first.)
func recordings(t *testing.T) map[string]recording {
	t.Helper()
	all := map[string]recording{}
	for _, pattern := range []string{"*/*.{jsonl,session.json,result.json}", "spans/*/*.jsonl"} {
		for _, file := range glob(t, pattern) {
			all[file] = recording{filepath.Dir(file), []string{file}}
		}
	}
	for _, pattern := range []string{"*/families/*", "spans/*"} {
		for _, folder := range glob(t, pattern) {
			all[folder] = recording{folder, inFolder(t, folder)}
		}
	}
	delete(all, filepath.Join(testdata, "spans", "inputs")) // they share nothing but IDs
	for _, provider := range glob(t, "*") {
		transcripts := glob(t, filepath.Join(filepath.Base(provider), "*.session.{json,jsonl}"))
		all[provider] = recording{provider, slices.DeleteFunc(transcripts, madeUp)}
	}
	maps.DeleteFunc(all, func(_ string, r recording) bool { return len(r.files) == 0 })
	require.Greater(t, len(all), 400)
	return all
}

// madeUp reports whether a file is no recording and shares IDs with others.
func madeUp(file string) bool { return strings.HasPrefix(filepath.Base(file), "case-") }

// glob returns the files in testdata that match.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := doublestar.FilepathGlob(filepath.Join(testdata, pattern))
	require.NoError(t, err)
	return found
}

// inFolder returns the sessions in a folder.
func inFolder(t *testing.T, folder string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && !entry.IsDir() && strings.Contains(name, ".json") && name != "case.json" && name != "expect.json" {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// copyOld copies a file with a modification time of two days ago.
func copyOld(t *testing.T, from, to string) (size int64) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
	require.NoError(t, os.WriteFile(to, data, 0o600))
	old := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(to, old, old))
	return int64(len(data))
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	packed, err := os.Open(from)
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	content, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o600))
}

// counted are the sums that both have: tokens by model and type, and the cost.
type counted map[string]float64

func (c counted) add(model, what string, n float64) {
	if n != 0 {
		c[model+" "+what] = math.Round((c[model+" "+what]+n)*1e9) / 1e9
	}
}

// addedUp returns the sums that usage makes of files.
func addedUp(t *testing.T, files ...string) counted {
	t.Helper()
	r, err := usage.Read(t.Context(), usage.Settings{By: []usage.Dimension{usage.Model}, Zone: time.UTC, Provider: "auto", MaxLine: 16 << 20}, files)
	require.NoError(t, err)
	require.Empty(t, r.Unreadable)
	sums := counted{}
	for _, row := range r.Rows {
		sums.add(row.Of[0], "input", float64(row.Tokens.Input))
		sums.add(row.Of[0], "output", float64(row.Tokens.Output))
		sums.add(row.Of[0], otlp.AttrUsageCacheRead, float64(row.Tokens.CacheRead))
		sums.add(row.Of[0], otlp.AttrUsageCacheWrite, float64(row.Tokens.CacheWrite))
		sums.add(row.Of[0], otlp.AttrUsageReasoning, float64(row.Tokens.Reasoning))
		sums.add(row.Of[0], otlp.MetricCost, row.Cost().USD())
	}
	return sums
}

// exported returns the exported sums of a receiver that stops once one of its counters has reached a value.
func exported(t *testing.T, counter string, all int64, configure func(*agentstreamreceiver.Config)) counted {
	t.Helper()
	factory := agentstreamreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*agentstreamreceiver.Config)
	cfg.Stream.StartAt, cfg.Stream.ForceFlushPeriod = "beginning", 10*time.Millisecond
	configure(cfg)
	internal := componenttest.NewTelemetry()
	set := receivertest.NewNopSettings(factory.Type())
	set.TelemetrySettings = internal.NewTelemetrySettings()
	sink := &consumertest.MetricsSink{}
	receiver, err := factory.CreateMetrics(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	require.NoError(t, receiver.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool {
		read, err := internal.GetMetric(counter)
		if err != nil {
			return false
		}
		sum := int64(0)
		for _, p := range read.Data.(metricdata.Sum[int64]).DataPoints {
			sum += p.Value
		}
		return sum == all
	}, patience, 5*time.Millisecond)
	require.NoError(t, receiver.Shutdown(context.Background()))
	require.NoError(t, internal.Shutdown(context.Background()))
	sums := counted{}
	if exports := sink.AllMetrics(); len(exports) > 0 {
		for _, rm := range exports[len(exports)-1].ResourceMetrics().All() {
			for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
				sums.addMetric(m)
			}
		}
	}
	return sums
}

func (c counted) addMetric(m pmetric.Metric) {
	switch {
	case m.Name() == "gen_ai.client.token.usage":
		for _, p := range m.Histogram().DataPoints().All() {
			c.add(value(p.Attributes(), otlp.AttrGenAIRequestModel), value(p.Attributes(), otlp.AttrGenAITokenType), p.Sum())
		}
	case m.Name() == otlp.MetricCost:
		for _, p := range m.Sum().DataPoints().All() {
			c.add(value(p.Attributes(), otlp.AttrGenAIRequestModel), m.Name(), p.DoubleValue())
		}
	case strings.HasPrefix(m.Name(), "tailspan.usage."):
		for _, p := range m.Sum().DataPoints().All() {
			c.add(value(p.Attributes(), otlp.AttrGenAIRequestModel), m.Name(), float64(p.IntValue()))
		}
	}
}

func value(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok {
		return v.Str()
	}
	return ""
}
