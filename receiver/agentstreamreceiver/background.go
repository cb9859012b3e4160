package agentstreamreceiver

import (
	"context"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/tail"
)

// flushPipelines exports the spans of quiet pipelines until work ends.
func (r *agentStream) flushPipelines(ctx, work context.Context) {
	every := min(r.config.Telemetry.PipelineIdle, r.config.Telemetry.ParentWait, r.config.Telemetry.EndGrace) / 4
	if progress := r.config.Telemetry.ProgressInterval; progress > 0 {
		every = min(every, progress/4)
	}
	ticker.Run(work, max(every, 10*time.Millisecond), func(time.Time) error {
		out := r.registry.Take()
		r.meter.Counts(out.Counts)
		out.Counts = emit.Counts{}
		if err := r.out.Deliver(ctx, work, &out); err != nil {
			r.undelivered = append(r.undelivered, out) // shutdown tries once more
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
		r.health.Trouble(delivery.TroubleStorage, err)
		return // retried at the next tick
	}
	r.health.Well(delivery.TroubleStorage)
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

// tickTexts releases unfinished texts, and ends that may still be revoked, after their stream has been quiet for a while. It
// runs until work ends.
func (r *agentStream) tickTexts(ctx, work context.Context) {
	ticker.Run(work, redact.DefaultQuiet/2, func(time.Time) error {
		r.inputs.MeasureLag()
		r.hints.CheckPattern(time.Now(), false)
		for _, s := range r.streams.list() {
			if err := s.tick(ctx, work); err != nil {
				return err // at shutdown; closing the stream exports what is pending
			}
		}
		return nil
	})
}

// exportMetrics exports the metrics at each interval until ctx ends.
func (r *agentStream) exportMetrics(ctx context.Context) {
	metrics := r.registry.Metrics()
	ticker.Run(ctx, r.config.Telemetry.Metrics.Interval, func(now time.Time) error {
		if r.out.Offer(ctx, metrics.Take(now)) {
			metrics.Accepted()
		}
		return nil
	})
}

// observer updates the file metrics, and reports storage errors to the collector.
func (r *agentStream) observer() tail.Observer {
	o := r.meter.Observer(r.streams.provider)
	count := o.Unsaved
	o.Unsaved = func(stream string, err error) {
		count(stream, err)
		r.health.Trouble(delivery.TroubleStorage, err)
	}
	o.Saved = func() { r.health.Well(delivery.TroubleStorage) }
	o.Closed = func(path string, reason tail.CloseReason) {
		r.logger.Debug("file ended", zap.String("path", path), zap.Stringer("reason", reason))
	}
	return o
}

// growthInterval is the time between two stats of the files while a consumer refuses, unless the longest retry interval is shorter.
const growthInterval = 5 * time.Second

// measureGrowth stats the files while a consumer refuses.
func (r *agentStream) measureGrowth() {
	if !r.meter.GrowthDue(time.Now(), min(growthInterval, r.config.Retry.MaxInterval)) {
		return
	}
	behind := map[string]meter.Found{}
	for _, s := range r.streams.every() {
		if !s.progress.grows.Load() {
			continue
		}
		if info, err := os.Stat(s.source.path); err == nil && info.Size() > s.progress.accepted.Load() {
			behind[s.source.id] = meter.Found{Provider: s.Provider(), Bytes: info.Size() - s.progress.accepted.Load()}
		}
	}
	r.meter.Grown(behind)
}
