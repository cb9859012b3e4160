package retry_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/retry"
)

func TestBackoff(t *testing.T) {
	b := retry.New(retry.Settings{InitialInterval: 100 * time.Millisecond, MaxInterval: 350 * time.Millisecond, Multiplier: 2})
	var waits []time.Duration
	for range 4 {
		waits = append(waits, b.Next())
	}
	assert.Equal(t, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 350 * time.Millisecond, 350 * time.Millisecond}, waits)
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, retry.Wait(t.Context(), time.Minute))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.False(t, retry.Wait(ctx, time.Minute))
	})
}
