package errorlog_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/files/errorlog"
)

// TestLog: each reason is logged once per path, and again after it was resolved; entries for the store, and those without a
// path, do not alternate.
func TestLog(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	l := errorlog.New(zap.New(core))
	full, broken := errors.New("disk full"), errors.New("broken")
	for range 3 {
		l.Unreadable("a", broken)
		l.Unreadable("b", broken)
		l.Unreadable("", broken)
		l.Irregular("c")
		for _, path := range []string{"a", "b"} {
			l.Unsaved(path, fmt.Errorf("save position of %q: %w", path, full))
		}
	}
	assert.Equal(t, 5, logs.Len())
	l.Unreadable("a", full)
	l.Resolved("b")
	l.Unreadable("b", broken)
	assert.Equal(t, 7, logs.Len())
}
