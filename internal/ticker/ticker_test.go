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

// TestRun holds that Run ends with its context and with the first error.
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
