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
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/fold"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/spool"
	"github.com/tailspan/tailspan/telemetry"
)

// finalDelivery is how long consumers may take for the last spans: of a file that is gone, and at shutdown of all files
// together.
const finalDelivery = 5 * time.Second

// agentStream is the receiver. Start and Shutdown may be called once for each pipeline that it stands in; the first
// call counts.
type agentStream struct {
	config   *Config
	logger   *zap.Logger
	meter    *meter
	adviser  *adviser
	registry *telemetry.Registry
	pattern  *config.PathPattern
	redactor *redact.Redactor   // nil: secrets stay
	identity telemetry.Identity // what the settings say
	ambient  telemetry.Identity // what the environment says
	parent   telemetry.Parent
	sources  sources
	commands []*command
	pipes    []*pipe
	running  sync.WaitGroup // of commands and pipes
	spoolDir string         // absolute; empty: the folder for temporary files
	stdin    *os.File
	// openInput opens a pipe by its path.
	openInput func(path string) (spool.Input, error)
	spools    sync.Map // of *spooled: those that are being read
	out       delivery
	streams   streams

	id            component.ID
	storage       storage.Client // nil: positions are not kept
	keptPipelines string         // the last span of a pipeline that the storage knows of
	health        health

	// undelivered are pipeline spans that were under way when we were told to stop.
	undelivered []telemetry.Output

	onShutdown func()
	start      sync.Once
	stop       sync.Once
	cancel     context.CancelFunc // ends the reading
	halt       context.CancelFunc // ends the work in the background
	background sync.WaitGroup
	final      func() time.Time // when all files have to be closed at shutdown, counted from the first
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
	settings := foldSettings(&cfg.Telemetry, set.BuildInfo.Version)
	settings.Metrics.InstanceID = instanceID(&set)
	settings.PipelineService, settings.Attributes = cfg.Identity.Pipeline.ServiceName, attributesOf(cfg.Identity.Attributes).Attributes()
	if settings.Prices, err = fold.ReadPrices(cfg.Telemetry.Prices); err != nil {
		return nil, err
	}
	r := &agentStream{
		config:   cfg,
		logger:   set.Logger,
		meter:    newMeter(builder),
		adviser:  &adviser{logger: set.Logger, pattern: cfg.Identity.PathPattern},
		registry: telemetry.NewRegistry(settings),
		final:    sync.OnceValue(func() time.Time { return time.Now().Add(finalDelivery) }),
		pattern:  pattern,
		id:       set.ID,
		identity: identityOf(&cfg.Identity),
		stdin:    os.Stdin,
	}
	if cfg.Spool.Directory != "" {
		if r.spoolDir, err = config.AbsolutePath(cfg.Spool.Directory); err != nil {
			return nil, fmt.Errorf("spool_directory %q: %w", cfg.Spool.Directory, err)
		}
	}
	if r.redactor, err = newRedactor(cfg); err != nil {
		return nil, fmt.Errorf("redaction: %w", err)
	}
	traceParent := cfg.Identity.TraceParent
	if cfg.Identity.Environment {
		r.ambient = telemetry.IdentityFromEnvironment(os.Getenv)
		traceParent = cmp.Or(traceParent, os.Getenv("TRACEPARENT"))
	}
	if r.parent, err = telemetry.ParseTraceParent(traceParent); err != nil {
		return nil, err
	}
	if r.out, err = newDelivery(set, cfg, r.meter); err != nil {
		return nil, err
	}
	r.out.health, r.out.behind, r.openInput = &r.health, r.lookAtLag, r.openPipe
	return r, nil
}

// Start begins to follow the files. The context is not for background work.
func (r *agentStream) Start(ctx context.Context, host component.Host) error {
	var err error
	r.start.Do(func() {
		r.health.host = host
		var store source.Store
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

// Shutdown ends the reading and hands on what is still open.
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

// finalContext is for the last that a stream hands on. ctx may have ended already where it is that of a worker.
func (r *agentStream) finalContext(ctx context.Context, reason source.CloseReason) (context.Context, context.CancelFunc) {
	if reason == source.CloseReasonShutdown {
		return context.WithDeadline(ctx, r.final())
	}
	return context.WithTimeout(context.WithoutCancel(ctx), finalDelivery)
}

// close ends all that was started.
func (r *agentStream) close(ctx context.Context) error {
	// First what works beside the reading, since it holds streams while a consumer makes it wait. It may be waiting
	// itself for a stream that the reading holds, so it has ended only after that.
	r.halt()
	r.adviser.tell(time.Now(), true)
	r.closePipes() // what comes from now on stays in its FIFO
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

// flushPipelines hands on the spans of pipelines that have become quiet, until ctx ends.
func (r *agentStream) flushPipelines(ctx context.Context) {
	every := min(r.config.Telemetry.PipelineIdle, r.config.Telemetry.ParentWait, r.config.Telemetry.EndGrace) / 4
	if progress := r.config.Telemetry.ProgressInterval; progress > 0 {
		every = min(every, progress/4)
	}
	fold.Repeat(ctx, max(every, 10*time.Millisecond), func(time.Time) error {
		out := r.registry.Take()
		r.meter.counts(out.Counts)
		out.Counts = telemetry.Counts{}
		if err := r.out.deliver(ctx, &out); err != nil {
			r.undelivered = append(r.undelivered, out) // we are stopping, Shutdown tries once more
			return err
		}
		out.Accepted()
		r.pipelinesTold(ctx)
		return nil
	})
}

// pipelinesTold keeps that spans of pipelines went out, and has the streams below them say that they owe nothing more.
func (r *agentStream) pipelinesTold(ctx context.Context) {
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

// tickTexts lets unfinished texts go, and ends that may yet be taken back, once their stream has been quiet for a while;
// until ctx ends.
func (r *agentStream) tickTexts(ctx context.Context) {
	fold.Repeat(ctx, redact.DefaultQuiet/2, func(time.Time) error {
		r.tellLag()
		r.adviser.tell(time.Now(), false)
		for _, s := range r.streams.list() {
			if err := s.tick(ctx); err != nil {
				return err // we are stopping; what waits goes out when the stream is closed
			}
		}
		return nil
	})
}

// tellLag tells how far behind the reading of spools is.
func (r *agentStream) tellLag() {
	r.spools.Range(func(c, _ any) bool {
		c.(*spooled).lag()
		return true
	})
}

// exportMetrics hands the metrics on at each interval, until ctx ends.
func (r *agentStream) exportMetrics(ctx context.Context) {
	metrics := r.registry.Metrics()
	fold.Repeat(ctx, r.config.Telemetry.Metrics.Interval, func(now time.Time) error {
		if r.out.offer(ctx, metrics.Take(now)) {
			metrics.Accepted()
		}
		return nil
	})
}

// foldSettings turns the user's settings into those of the fold.
func foldSettings(t *config.Telemetry, version string) telemetry.Settings {
	return telemetry.Settings{
		Semconv:          telemetry.Semconv(t.Semconv),
		Version:          version,
		PipelineIdle:     t.PipelineIdle,
		ParentWait:       t.ParentWait,
		ProgressInterval: t.ProgressInterval,
		EndGrace:         t.EndGrace,
		StallAfter:       t.StallAfter,

		Metrics: telemetry.MetricSettings{
			Delta: t.Metrics.Temporality == config.TemporalityDelta, PromoteResource: t.Metrics.PromoteResourceAttributes,
		},
		TraceBySession: t.Trace == config.TraceSession,
		Capture:        telemetry.Capture(t.Capture),
		Limits:         limitsOf(&t.Limits),
	}
}

func limitsOf(l *config.Limits) telemetry.Limits {
	return telemetry.Limits{
		TargetRunes: l.TargetRunes, ContentBytes: l.ContentBytes, PendingEvents: l.PendingEvents, PendingBytes: int(l.PendingSize),
		Models: l.Models, OpenCalls: l.OpenCalls, RememberedIDs: l.RememberedIDs, SeriesPerMetric: l.SeriesPerMetric, ToolNames: l.ToolNames, EmittedIDs: l.EmittedIDs, Pipelines: l.Pipelines,
	}
}

// identityOf is what the settings say for all files.
func identityOf(c *config.Identity) telemetry.Identity {
	attrs := []telemetry.Attribute{
		{Key: telemetry.AttrPipelineName, Value: c.Pipeline.Name},
		{Key: telemetry.AttrPipelineRunID, Value: c.Pipeline.RunID},
		{Key: telemetry.AttrTaskName, Value: c.Pipeline.Task},
		{Key: telemetry.AttrTaskRunID, Value: c.Pipeline.TaskRunID},
		{Key: telemetry.AttrGenAIAgentName, Value: c.Persona},
	}
	return telemetry.NewIdentity(attrs...).With(attributesOf(c.Resource))
}

func attributesOf(m map[string]string) telemetry.Identity {
	attrs := make([]telemetry.Attribute, 0, len(m))
	for key, value := range m {
		attrs = append(attrs, telemetry.Attribute{Key: key, Value: value})
	}
	return telemetry.NewIdentity(attrs...)
}
