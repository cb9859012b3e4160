package agentstreamreceiver

import (
	"go.opentelemetry.io/collector/receiver"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// registrySettings returns the settings that all streams share.
func registrySettings(set *receiver.Settings, cfg *Config) (telemetry.Settings, error) {
	s := telemetrySettings(&cfg.Telemetry, set.BuildInfo.Version)
	s.Metrics.InstanceID = instanceID(set)
	s.PipelineService, s.Attributes = cfg.Identity.Pipeline.ServiceName, pipeline.AttributesOf(cfg.Identity.Attributes).Attributes()
	var err error
	s.Prices, err = pipeline.ReadPrices(cfg.Telemetry.Prices)
	return s, err
}

// telemetrySettings converts the user's settings for package telemetry.
func telemetrySettings(t *config.Telemetry, version string) telemetry.Settings {
	return telemetry.Settings{
		Semconv:          otlp.Semconv(t.Semconv),
		Version:          version,
		PipelineIdle:     t.PipelineIdle,
		ParentWait:       t.ParentWait,
		ProgressInterval: t.ProgressInterval,
		EndGrace:         t.EndGrace,
		StallAfter:       t.StallAfter,

		Metrics: metrics.Settings{
			Delta: t.Metrics.Temporality == config.TemporalityDelta, PromoteResource: t.Metrics.PromoteResourceAttributes,
			SeriesPerMetric: t.Limits.SeriesPerMetric, ToolNames: t.Limits.ToolNames,
		},
		TraceBySession: t.Trace == config.TraceSession,
		Capture:        otlp.CaptureSettings(t.Capture),
		Limits:         limitsOf(&t.Limits),
	}
}

func limitsOf(l *config.Limits) telemetry.Limits {
	return telemetry.Limits{
		TargetRunes: l.TargetLength, ContentBytes: int(l.ContentSize), PendingEvents: l.PendingEvents, PendingBytes: int(l.PendingSize),
		Models: l.Models, OpenCalls: l.OpenCalls, RememberedIDs: l.IDCacheSize, EmittedIDs: l.DedupCacheSize, Pipelines: l.Pipelines,
	}
}

// instanceID returns service.instance.id for the receiver's metrics. It differs between collectors, and between receivers in
// one. It survives a restart if the collector's ID does (service::telemetry::resource).
func instanceID(set *receiver.Settings) string {
	if of, ok := set.Resource.Attributes().Get(otlp.AttrServiceInstanceID); ok {
		return otlp.NewInstanceID(of.AsString(), set.ID.String())
	}
	return otlp.NewInstanceID()
}

// newRedactor returns nil if redaction is disabled.
func newRedactor(c *Config) (*redact.Redactor, error) {
	if !c.Redaction.Enabled {
		return nil, nil
	}
	capture := &c.Telemetry.Capture
	s := redact.Settings{
		Names: c.Redaction.Names, Allow: c.Redaction.Allow,
		// What is not captured is not exported, so it needs no redaction.
		DropInput: !capture.ToolInput && !capture.Messages, DropOutput: !capture.ToolOutput && !capture.Messages,
		SkipReasoning: !capture.Reasoning && !capture.Messages, SkipPrompts: !capture.Prompts && !capture.Messages,
	}
	for _, rule := range c.Redaction.Rules {
		s.Rules = append(s.Rules, redact.Rule{Name: rule.Name, Pattern: rule.Pattern, Keyword: rule.Keyword})
	}
	return redact.NewRedactor(s)
}
