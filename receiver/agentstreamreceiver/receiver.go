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
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/hints"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/spooled"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// finalDelivery is how long consumers have for the last spans: of one unlinked file, or of all files together at shutdown.
const finalDelivery = 5 * time.Second

// answerTime is how long a consumer has at shutdown to answer a batch of the background work. A call that is cancelled is repeated
// when the streams are closed, although the back end may have received the batch.
const answerTime = time.Second

// agentStream is the receiver. Start and Shutdown are called once for each of its pipelines; only the first call has an effect.
type agentStream struct {
	id       component.ID
	config   *Config
	logger   *zap.Logger
	meter    *meter.Meter
	health   *delivery.Health
	hints    *hints.Hints
	registry *telemetry.Registry
	redactor *redact.Redactor // nil: secrets are not redacted
	out      *delivery.Delivery
	inputs   *spooled.Inputs
	sources  sources
	streams  streams

	whose
	persistence
	lifecycle
}

// whose is the default identity of streams.
type whose struct {
	pattern  *config.PathPattern
	identity otlp.Identity // from the settings
	ambient  otlp.Identity // from the environment
	parent   otlp.Parent
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
	cancel      context.CancelFunc // stops reading
	halt        func()             // stops background work
	background  sync.WaitGroup
	final       func() time.Time // deadline for closing all files at shutdown, set by the first
	// undelivered are pipeline spans whose delivery was interrupted by shutdown.
	undelivered []telemetry.Output
	last        *delivery.FinalBatch // of the files and documents that a stop closes
}

func newAgentStream(set receiver.Settings, cfg *Config) (*agentStream, error) {
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, fmt.Errorf("create telemetry: %w", err)
	}
	r := &agentStream{
		id:        set.ID,
		config:    cfg,
		logger:    set.Logger,
		health:    &delivery.Health{},
		hints:     hints.New(set.Logger, cfg.Identity.PathPattern),
		lifecycle: lifecycle{final: sync.OnceValue(func() time.Time { return time.Now().Add(finalDelivery) })},
	}
	if r.meter, err = meter.New(builder); err != nil {
		return nil, err
	}
	if r.whose, err = newWhose(&cfg.Identity); err != nil {
		return nil, err
	}
	if r.redactor, err = newRedactor(cfg); err != nil {
		return nil, fmt.Errorf("redaction: %w", err)
	}
	settings, err := registrySettings(&set, cfg)
	if err != nil {
		return nil, err
	}
	r.registry = telemetry.NewRegistry(settings)
	if r.out, err = delivery.New(delivery.Settings{
		Receiver: set, Delivery: cfg.Delivery, Retry: cfg.Retry, Meter: r.meter, Health: r.health, Grown: r.measureGrowth,
	}); err != nil {
		return nil, err
	}
	r.last = delivery.NewFinalBatch(r.out)
	if r.inputs, err = r.newInputs(); err != nil {
		return nil, err
	}
	return r, nil
}

func newWhose(c *config.Identity) (w whose, err error) {
	w.identity = pipeline.IdentityOf(c)
	if w.pattern, err = config.ParsePathPattern(c.PathPattern); err != nil {
		return w, fmt.Errorf("path_pattern %q: %w", c.PathPattern, err)
	}
	traceParent := c.TraceParent
	if c.Environment {
		w.ambient = otlp.IdentityFromEnvironment(os.Getenv)
		traceParent = cmp.Or(traceParent, os.Getenv("TRACEPARENT"))
	}
	w.parent, err = otlp.ParseTraceParent(traceParent)
	return w, err
}

// newInputs returns the pipes and commands.
func (r *agentStream) newInputs() (*spooled.Inputs, error) {
	cfg := r.config
	dir := cfg.Spool
	if dir.Directory != "" {
		var err error
		if dir.Directory, err = config.AbsolutePath(dir.Directory); err != nil {
			return nil, fmt.Errorf("spool::directory %q: %w", cfg.Spool.Directory, err)
		}
	}
	return spooled.New(spooled.Settings{
		Receiver: r.id, Pipes: cfg.Pipes, Commands: cfg.Commands, Spool: dir, Provider: cfg.Stream.Provider, Identity: r.identity,
		Follow: tail.Settings{
			MaxLineSize: int(cfg.Stream.MaxLineSize), IdleFlush: cfg.Stream.ForceFlushPeriod, Observer: r.observer(),
		},
		PollInterval: cfg.Stream.PollInterval, Redactor: r.redactor, Stdin: os.Stdin,
		Open:   func(s tail.Stream, o spooled.Origin) (spooled.Stream, error) { return r.newStream(s, o, 0) },
		Logger: r.logger, Meter: r.meter, Health: r.health,
	}), nil
}

// Start starts following the files. Background work outlives ctx.
func (r *agentStream) Start(ctx context.Context, host component.Host) error {
	var err error
	r.start.Do(func() {
		r.health.Start(host)
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
		calls, endCalls := context.WithCancel(run)
		r.halt = func() {
			halt()
			time.AfterFunc(answerTime, endCalls)
		}
		r.background.Go(func() { r.flushPipelines(calls, work) })
		r.background.Go(func() { r.exportMetrics(work) })
		r.background.Go(func() { r.tickTexts(calls, work) })
		if err = r.sources.start(run); err != nil {
			return
		}
		if err = r.inputs.Start(run, r.storage); err != nil {
			r.inputs.Stop(ctx, finalDelivery, r.cancel) // nobody else would
		}
	})
	return err
}

// Shutdown stops reading and exports what is pending.
func (r *agentStream) Shutdown(ctx context.Context) error {
	var err error
	r.stop.Do(func() {
		defer r.onShutdown()
		defer r.meter.Shutdown()
		if r.cancel != nil { // otherwise it was never started
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

// finalContext returns the context for the last output of a stream. The ctx of a worker may have ended already.
func (r *agentStream) finalContext(ctx context.Context, reason tail.CloseReason) (context.Context, context.CancelFunc) {
	if reason == tail.CloseReasonShutdown {
		return context.WithDeadline(ctx, r.final())
	}
	return context.WithTimeout(context.WithoutCancel(ctx), finalDelivery)
}

// close stops everything that was started.
func (r *agentStream) close(ctx context.Context) error {
	// First halt the background work, which locks streams while it waits for a consumer. It may itself wait for a stream that
	// a reader has locked, so wait for its end only after reading has stopped.
	r.halt()
	r.hints.CheckPattern(time.Now(), true)
	r.inputs.ClosePipes() // further input stays in the FIFO
	err := r.sources.shutdown(ctx)
	final, cancelFinal := r.finalContext(ctx, tail.CloseReasonShutdown)
	defer cancelFinal()
	err = errors.Join(err, r.last.Flush(final))
	r.inputs.Stop(ctx, finalDelivery, r.cancel)
	r.background.Wait()
	r.cancel()
	last, cancel := context.WithTimeout(ctx, finalDelivery)
	defer cancel()
	ends := append(r.undelivered, r.registry.Close())
	for _, md := range r.registry.Metrics().TakeLast(time.Now()) {
		r.out.Offer(last, md)
	}
	for _, out := range ends {
		r.meter.Counts(out.Counts)
		if e := r.out.Deliver(last, last, &out); e != nil {
			return errors.Join(err, fmt.Errorf("deliver last pipeline spans: %w", e))
		}
		out.Accepted()
	}
	return errors.Join(err, r.keepRegistry(last))
}
