package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/ledger"
)

func TestRunning(t *testing.T) {
	running := ledger.NewRunning(2)
	for _, step := range []struct {
		name           string
		key            ledger.RunningKey
		input          int64
		before         int64
		known, evicted bool
	}{
		{"first", ledger.RunningKey{Session: "s1", Model: "demo"}, 3, 0, false, false},
		{"next of the session", ledger.RunningKey{Session: "s1", Model: "demo"}, 5, 3, true, false},
		{"another model", ledger.RunningKey{Session: "s1", Model: "other"}, 7, 0, false, false},
		{"no room", ledger.RunningKey{Model: "demo"}, 1, 0, false, true},
		{"evicted before", ledger.RunningKey{Session: "s1", Model: "demo"}, 9, 0, false, true},
	} {
		before, known, evicted := running.Swap(step.key, &events.Usage{Tokens: events.Tokens{Input: step.input}})
		assert.Equal(t, step.before, before.Tokens.Input, step.name)
		assert.Equal(t, step.known, known, step.name)
		assert.Equal(t, step.evicted, evicted, step.name)
	}
}
