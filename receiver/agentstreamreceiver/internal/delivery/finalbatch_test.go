package delivery_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
)

// TestFinalBatchCountsWhatIsLost: each record that a stop could not deliver is counted, whichever of several batches it is in.
func TestFinalBatchCountsWhatIsLost(t *testing.T) {
	r := newRig(t, nil, nil, errors.New("later"))
	last := delivery.NewFinalBatch(r.Delivery)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, size := range []int{10, 3 << 20, 3 << 20, 10} { // a batch has 2 MiB
		out := output()
		out.Logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().SetStr(strings.Repeat("x", size))
		last.Add(ctx, out)
	}
	require.ErrorContains(t, last.Flush(ctx), "deliver last spans")
	assert.EqualValues(t, 4, r.sum("dropped"))
	assert.Equal(t, 3, r.calls, "for each batch")
}
