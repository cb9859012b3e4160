package delivery

import (
	"sync"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/batch"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
)

// newSender returns a sender that limits the batches of a signal. It counts splits and cuts, and logs the first of each.
func newSender(s meter.Signal, limit int, logger *zap.Logger, m *meter.Meter) *batch.Sender {
	logSplit := sync.OnceFunc(func() {
		logger.Warn("consumer refused batch for its size, splitting it; max_batch_size sets the size of batches",
			zap.Stringer("signal", s), zap.Int("max_batch_size", limit))
	})
	logCut := sync.OnceFunc(func() {
		logger.Warn("consumer refused a single record for its size, cutting it; raise the limit of the consumer to keep it whole",
			zap.Stringer("signal", s), zap.String("mark", otlp.AttrTruncated))
	})
	return &batch.Sender{
		Limit: limit,
		Mark:  otlp.AttrTruncated,
		Split: func() {
			m.Split(s)
			logSplit()
		},
		Cut: func() {
			m.Cut(s)
			logCut()
		},
	}
}
