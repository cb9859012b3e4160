package tail

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestComplaints: each reason is told once of each path, and again after it was mended; what is told of the store, and of
// what has no path, does not take turns.
func TestComplaints(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	c := errorLog{logger: zap.New(core)}
	full, broken := errors.New("disk full"), errors.New("broken")
	for range 3 {
		c.unreadable("a", broken)
		c.unreadable("b", broken)
		c.unreadable("", broken)
		c.irregular("c")
		for _, path := range []string{"a", "b"} {
			c.unsaved(fmt.Errorf("save position of %q: %w", path, full))
		}
	}
	assert.Equal(t, 5, logs.Len())
	c.unreadable("a", full)
	c.resolved("b")
	c.unreadable("b", broken)
	assert.Equal(t, 7, logs.Len())
	for n := range maxRetired {
		c.unreadable(strconv.Itoa(n), broken)
	}
	assert.LessOrEqual(t, len(c.reasons), maxRetired)
}
