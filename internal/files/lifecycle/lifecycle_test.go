package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/internal/files/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestShutdown: running work has as long as drain and the caller's context allow; then its own context ends.
func TestShutdown(t *testing.T) {
	for name, tt := range map[string]struct {
		drain, limit time.Duration // limit is that of Shutdown's context
		ends         bool          // the work ends by itself
		want         time.Duration
	}{
		"the work ends":           {drain: time.Minute, limit: time.Hour, ends: true, want: time.Second},
		"drain is over":           {drain: time.Minute, limit: time.Hour, want: time.Minute},
		"the caller's context is": {drain: time.Hour, limit: time.Minute, want: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l lifecycle.Lifecycle
				var run context.Context
				began, cancel := context.WithCancel(t.Context())
				require.NoError(t, l.Start(began, func(_, ctx context.Context) error {
					run = ctx
					return nil
				}))
				cancel()
				assert.NoError(t, run.Err(), "it outlives the context of Start")
				wait := func() {
					<-l.Stop()
					if tt.ends {
						<-time.After(time.Second)
						return
					}
					<-run.Done()
				}
				limited, cancel := context.WithTimeout(t.Context(), tt.limit)
				defer cancel()
				begin, failed := time.Now(), errors.New("not closed")
				assert.ErrorIs(t, l.Shutdown(limited, tt.drain, wait, func() error {
					assert.Error(t, run.Err())
					return failed
				}), failed)
				assert.Equal(t, tt.want, time.Since(begin))
				assert.NoError(t, l.Shutdown(limited, tt.drain, wait, func() error { return failed }), "again")
			})
		})
	}
}

func TestStart(t *testing.T) {
	var l lifecycle.Lifecycle
	var run context.Context
	failed := errors.New("not read")
	assert.ErrorIs(t, l.Start(t.Context(), func(_, ctx context.Context) error {
		run = ctx
		return failed
	}), failed)
	assert.Error(t, run.Err(), "nothing was started")
	begin := func(_, _ context.Context) error { return nil }
	assert.Error(t, l.Start(t.Context(), begin), "again")
	var unused lifecycle.Lifecycle
	assert.NoError(t, unused.Shutdown(t.Context(), time.Second, func() {}, func() error { return failed }), "without Start")
	assert.Error(t, unused.Start(t.Context(), begin), "after Shutdown")
}
