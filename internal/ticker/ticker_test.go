package ticker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/ticker"
)

// TestRun checks that Run ends with its context and with the first error.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		calls := 0
		ticker.Run(ctx, time.Second, func(time.Time) error {
			calls++
			return nil
		})
		assert.Equal(t, 3, calls)
		ticker.Run(t.Context(), time.Second, func(time.Time) error { return errors.New("stop") })
		assert.NoError(t, t.Context().Err())
	})
}

// TestStart checks that stop waits for a running call, and that none follows.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		stop := ticker.Start(t.Context(), time.Second, func(context.Context, time.Time) error {
			calls++
			return nil
		})
		<-time.After(2500 * time.Millisecond)
		stop()
		assert.Equal(t, 2, calls)
		<-time.After(5 * time.Second)
		assert.Equal(t, 2, calls)
	})
}
