package agentstreamreceiver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// finalDelivery is the time that consumers have for the last spans: of an unlinked file, and at shutdown of all files
// together.
const finalDelivery = 5 * time.Second

// agentStream is the receiver. Start and Shutdown are called once for each of its pipelines; the first call counts.
type agentStream struct {
	id       component.ID
	config   *Config
	logger   *zap.Logger
	meter    *meter
	hints    *configHints
	health   health
	registry *telemetry.Registry
	redactor *redact.Redactor // nil: secrets stay
	out      delivery
	streams  streams

	whose
	inputs
	persistence
	lifecycle
}

// whose is the identity of streams that do not have their own.
type whose struct {
	pattern  *config.PathPattern
	identity otlp.Identity // of the settings
	ambient  otlp.Identity // of the environment
	parent   otlp.Parent
}

// inputs are what the receiver reads.
type inputs struct {
	sources   sources
	commands  []*command
	pipes     []*pipe
	running   sync.WaitGroup // of commands and pipes
	spoolDir  string         // absolute; empty: the folder for temporary files
	spools    sync.Map       // of *spooled: those that are being read
	stdin     *os.File
	openInput func(path string) (spool.Input, error) // opens a pipe by its path
}

// persistence is what outlives the process.
type persistence struct {
	storage       storage.Client // nil: offsets are not stored
	keptPipelines string         // the last pipeline span in the storage
}

// lifecycle starts and stops the receiver.
type lifecycle struct {
	start, stop sync.Once
	onShutdown  func()
	cancel      context.CancelFunc // ends the reading
	halt        context.CancelFunc // ends the work in the background
	background  sync.WaitGroup
	final       func() time.Time // when all files have to be closed at shutdown, counted from the first
	// undelivered are pipeline spans whose delivery the shutdown interrupted.
	undelivered []telemetry.Output
}

func newAgentStream(set receiver.Settings, cfg *Config) (*agentStream, error) {
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, fmt.Errorf("create telemetry: %w", err)
	}
	pattern, err := config.ParsePathPattern(cfg.Identity.PathPattern)
	if err != nil {
		return nil, fmt.Errorf("path_pattern %q: %w", cfg.Identity.PathPattern, err)
	}
	settings := telemetrySettings(&cfg.Telemetry, set.BuildInfo.Version)
	settings.Metrics.InstanceID = instanceID(&set)
	settings.PipelineService, settings.Attributes = cfg.Identity.Pipeline.ServiceName, attributesOf(cfg.Identity.Attributes).Attributes()
	if settings.Prices, err = pipeline.ReadPrices(cfg.Telemetry.Prices); err != nil {
		return nil, err
	}
	r := &agentStream{
		id:        set.ID,
		config:    cfg,
		logger:    set.Logger,
		meter:     newMeter(builder),
		hints:     &configHints{logger: set.Logger, pattern: cfg.Identity.PathPattern},
		registry:  telemetry.NewRegistry(settings),
		whose:     whose{pattern: pattern, identity: identityOf(&cfg.Identity)},
		inputs:    inputs{stdin: os.Stdin},
		lifecycle: lifecycle{final: sync.OnceValue(func() time.Time { return time.Now().Add(finalDelivery) })},
	}
	if cfg.Spool.Directory != "" {
		if r.spoolDir, err = config.AbsolutePath(cfg.Spool.Directory); err != nil {
			return nil, fmt.Errorf("spool::directory %q: %w", cfg.Spool.Directory, err)
		}
	}
	if r.redactor, err = newRedactor(cfg); err != nil {
		return nil, fmt.Errorf("redaction: %w", err)
	}
	traceParent := cfg.Identity.TraceParent
	if cfg.Identity.Environment {
		r.ambient = otlp.IdentityFromEnvironment(os.Getenv)
		traceParent = cmp.Or(traceParent, os.Getenv("TRACEPARENT"))
	}
	if r.parent, err = otlp.ParseTraceParent(traceParent); err != nil {
		return nil, err
	}
	if r.out, err = newDelivery(set, cfg, r.meter); err != nil {
		return nil, err
	}
	r.out.health, r.out.behind, r.openInput = &r.health, r.measureLag, r.openPipe
	return r, nil
}

// Start starts to follow the files. The context is not for background work.
func (r *agentStream) Start(ctx context.Context, host component.Host) error {
	var err error
	r.start.Do(func() {
		r.health.host = host
		var store tail.Store
		if id := r.config.Storage; id != nil {
			if r.storage, err = openStorage(ctx, host, *id, r.id); err != nil {
				return
			}
			if err = r.restoreRegistry(ctx); err != nil {
				return
			}
			store = storeOf(r.storage)
			if err = r.recallFiles(ctx, store); err != nil {
				return
			}
		}
		if r.sources, err = newSources(&r.config.Stream, r.logger, r.observer(), store, r); err != nil {
			return
		}
		run, cancel := context.WithCancel(context.WithoutCancel(ctx))
		r.cancel = cancel
		work, halt := context.WithCancel(run)
		r.halt = halt
		r.background.Go(func() { r.flushPipelines(work) })
		r.background.Go(func() { r.exportMetrics(work) })
		r.background.Go(func() { r.tickTexts(work) })
		if err = r.sources.start(run); err == nil {
			err = r.startPipes(run)
		}
		if err == nil {
			err = r.startCommands(run)
		}
	})
	return err
}

// Shutdown ends the reading and exports what is pending.
func (r *agentStream) Shutdown(ctx context.Context) error {
	var err error
	r.stop.Do(func() {
		defer r.onShutdown()
		defer r.meter.shutdown()
		if r.cancel != nil { // else it was never started
			err = r.close(ctx)
		}
		if r.storage != nil {
			if e := r.storage.Close(ctx); e != nil {
				err = errors.Join(err, fmt.Errorf("close storage: %w", e))
			}
		}
	})
	return err
}

// finalContext is for the last output of a stream. The ctx of a worker may have ended already.
func (r *agentStream) finalContext(ctx context.Context, reason tail.CloseReason) (context.Context, context.CancelFunc) {
	if reason == tail.CloseReasonShutdown {
		return context.WithDeadline(ctx, r.final())
	}
	return context.WithTimeout(context.WithoutCancel(ctx), finalDelivery)
}

// close ends all that was started.
func (r *agentStream) close(ctx context.Context) error {
	// First the background work, which locks streams while it waits for a consumer. It may itself wait for a stream that the
	// reading has locked, so it ends only after that.
	r.halt()
	r.hints.checkPattern(time.Now(), true)
	r.closePipes() // further input stays in the FIFO
	err := r.sources.shutdown(ctx)
	r.stopCommands(ctx)
	r.background.Wait()
	r.cancel()
	last, cancel := context.WithTimeout(ctx, finalDelivery)
	defer cancel()
	ends := append(r.undelivered, r.registry.Close())
	for _, md := range r.registry.Metrics().TakeLast(time.Now()) {
		r.out.offer(last, md)
	}
	for _, out := range ends {
		r.meter.counts(out.Counts)
		if e := r.out.deliver(last, &out); e != nil {
			return errors.Join(err, fmt.Errorf("deliver last pipeline spans: %w", e))
		}
		out.Accepted()
	}
	return errors.Join(err, r.keepRegistry(last))
}

// flushPipelines exports the spans of quiet pipelines, until ctx ends.
func (r *agentStream) flushPipelines(ctx context.Context) {
	every := min(r.config.Telemetry.PipelineIdle, r.config.Telemetry.ParentWait, r.config.Telemetry.EndGrace) / 4
	if progress := r.config.Telemetry.ProgressInterval; progress > 0 {
		every = min(every, progress/4)
	}
	ticker.Run(ctx, max(every, 10*time.Millisecond), func(time.Time) error {
		out := r.registry.Take()
		r.meter.counts(out.Counts)
		out.Counts = telemetry.Counts{}
		if err := r.out.deliver(ctx, &out); err != nil {
			r.undelivered = append(r.undelivered, out) // at shutdown, which tries once more
			return err
		}
		out.Accepted()
		r.storePipelines(ctx)
		return nil
	})
}

// storePipelines stores which pipeline spans were exported, and marks the streams below them as changed.
func (r *agentStream) storePipelines(ctx context.Context) {
	now := lastOf(r.registry.State().Pipelines)
	if r.storage == nil || now == r.keptPipelines {
		return
	}
	if err := r.keepRegistry(ctx); err != nil {
		r.health.trouble(troubleStorage, err)
		return // the next time
	}
	r.health.well(troubleStorage)
	r.keptPipelines = now
	for _, s := range r.streams.every() {
		s.source.changed()
	}
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// tickTexts releases unfinished texts, and ends that may yet be revoked, after a quiet time of their stream; until ctx
// ends.
func (r *agentStream) tickTexts(ctx context.Context) {
	ticker.Run(ctx, redact.DefaultQuiet/2, func(time.Time) error {
		r.recordSpoolLag()
		r.hints.checkPattern(time.Now(), false)
		for _, s := range r.streams.list() {
			if err := s.tick(ctx); err != nil {
				return err // at shutdown; what is pending is exported when the stream is closed
			}
		}
		return nil
	})
}

// recordSpoolLag records the unread bytes of spools.
func (r *agentStream) recordSpoolLag() {
	r.spools.Range(func(c, _ any) bool {
		c.(*spooled).lag()
		return true
	})
}

// exportMetrics exports the metrics at each interval, until ctx ends.
func (r *agentStream) exportMetrics(ctx context.Context) {
	metrics := r.registry.Metrics()
	ticker.Run(ctx, r.config.Telemetry.Metrics.Interval, func(now time.Time) error {
		if r.out.offer(ctx, metrics.Take(now)) {
			metrics.Accepted()
		}
		return nil
	})
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

// identityOf is the identity that the settings set for all files.
func identityOf(c *config.Identity) otlp.Identity {
	attrs := []otlp.Attribute{
		{Key: otlp.AttrPipelineName, Value: c.Pipeline.Name},
		{Key: otlp.AttrPipelineRunID, Value: c.Pipeline.RunID},
		{Key: otlp.AttrTaskName, Value: c.Pipeline.Task},
		{Key: otlp.AttrTaskRunID, Value: c.Pipeline.TaskRunID},
		{Key: otlp.AttrGenAIAgentName, Value: c.Persona},
	}
	return otlp.NewIdentity(attrs...).With(attributesOf(c.Resource))
}

func attributesOf(m map[string]string) otlp.Identity {
	attrs := make([]otlp.Attribute, 0, len(m))
	for key, value := range m {
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	return otlp.NewIdentity(attrs...)
}
