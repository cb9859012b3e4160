package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/config"
)

// checked is a group of settings that can check itself.
type checked interface{ Check() error }

// TestCheck: the defaults are valid, and each invalid value is reported with its key, all at once.
func TestCheck(t *testing.T) {
	stream := func(change func(*config.Stream)) checked {
		s := config.NewDefaultStream()
		s.Include = []string{"*.jsonl"}
		change(&s)
		return &s
	}
	telemetry := func(change func(*config.Telemetry)) checked {
		s := config.NewDefaultTelemetry()
		change(&s)
		return &s
	}
	delivery := func(change func(*config.Delivery)) checked {
		s := config.NewDefaultDelivery()
		change(&s)
		return &s
	}
	identity := func(change func(*config.Identity)) checked {
		s := config.NewDefaultIdentity()
		change(&s)
		return &s
	}
	for _, tt := range []struct {
		name     string
		settings checked
		want     string // all errors, one per line
	}{
		{"stream defaults", stream(func(*config.Stream) {}), ""},
		{"a database is enough", stream(func(s *config.Stream) { s.Include, s.Databases = nil, []string{"x.db"} }), ""},
		{"start", stream(func(s *config.Stream) { s.StartAt = "middle" }), `start_at must be "beginning" or "end", got "middle"`},
		{"container", stream(func(s *config.Stream) { s.Container = "podman" }), `container must be "auto" or "none", got "podman"`},
		{"unrecognized", stream(func(s *config.Stream) { s.Unrecognized = "keep" }), `unrecognized must be "pass" or "drop", got "keep"`},
		{"intervals", stream(func(s *config.Stream) { s.PollInterval, s.ForceFlushPeriod = 0, -time.Second }),
			"poll_interval must be positive, got 0s\nforce_flush_period must be positive, got -1s"},
		{"sizes", stream(func(s *config.Stream) { s.MaxLineSize, s.MaxDocumentSize, s.MaxConcurrentFiles = -1, 0, 0 }),
			"max_line_size must be positive, got -1\nmax_document_size must be positive, got 0\nmax_concurrent_files must be positive, got 0"},
		{"telemetry defaults", telemetry(func(*config.Telemetry) {}), ""},
		{"no progress", telemetry(func(s *config.Telemetry) { s.ProgressInterval, s.ExpectedDuration = 0, 0 }), ""},
		{"negative durations", telemetry(func(s *config.Telemetry) { s.ProgressInterval, s.ExpectedDuration = -1, -2 }),
			"progress_interval must not be negative, got -1ns\nexpected_duration must not be negative, got -2ns"},
		{"conventions", telemetry(func(s *config.Telemetry) { s.Semconv = "v1.2" }), `semconv must be "genai-0.1" or "v1.41", got "v1.2"`},
		{"trace", telemetry(func(s *config.Telemetry) { s.Trace = "day" }), `trace must be "run" or "session", got "day"`},
		{"fork_window", telemetry(func(s *config.Telemetry) { s.ForkWindow = -1 }), "fork_window must not be negative, got -1ns"},
		{"waits", telemetry(func(s *config.Telemetry) { s.ParentWait, s.PipelineIdle, s.Metrics.Interval = 0, 0, 0 }),
			"parent_wait must be positive, got 0s\npipeline_idle must be positive, got 0s\nmetrics::interval must be positive, got 0s"},
		{"temporality", telemetry(func(s *config.Telemetry) { s.Metrics.Temporality = "gauge" }),
			`metrics::temporality must be "cumulative" or "delta", got "gauge"`},
		{"limits", telemetry(func(s *config.Telemetry) { s.Limits = config.Limits{} }), strings.Join([]string{
			"limits::target_length must be positive, got 0", "limits::content_size must be positive, got 0",
			"limits::pending_events must be positive, got 0", "limits::pending_size must be positive, got 0", "limits::models must be positive, got 0", "limits::open_calls must be positive, got 0",
			"limits::id_cache_size must be positive, got 0", "limits::series_per_metric must be positive, got 0", "limits::tool_names must be positive, got 0",
			"limits::dedup_cache_size must be positive, got 0", "limits::pipelines must be positive, got 0",
		}, "\n")},
		{"delivery defaults", delivery(func(*config.Delivery) {}), ""},
		{"delivery", delivery(func(s *config.Delivery) { s.MaxBatchSize, s.OnPermanentError = -1, "keep" }),
			"max_batch_size must be positive, got -1\non_permanent_error must be \"drop\" or \"retry\", got \"keep\""},
		{"identity", identity(func(*config.Identity) {}), ""},
		{"no service of pipelines", identity(func(s *config.Identity) { s.Pipeline.ServiceName = "" }), "pipeline::service_name must not be empty"},
		{"path pattern", identity(func(s *config.Identity) { s.InBand, s.PathPattern = config.InBandOff, "runs/{a" }), `path_pattern "runs/{a": a { without a }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.settings.Check()
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			assert.EqualError(t, err, tt.want)
		})
	}
}
