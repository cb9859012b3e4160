package hints_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/hints"
)

func warnings(logged *observer.ObservedLogs) (list []string) {
	for _, entry := range logged.All() {
		list = append(list, entry.Message+" path_pattern="+entry.ContextMap()["path_pattern"].(string))
	}
	return list
}

// TestPathPattern checks when a warning about a pattern that matches no file is logged: after a while, or at the end, and once.
func TestPathPattern(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	const none = "path_pattern matches no file, exporting without attributes of their paths path_pattern=runs/{a}"
	for _, tt := range []struct {
		name string
		do   func(a *hints.Hints)
		want []string
	}{
		{"no file", func(a *hints.Hints) { a.CheckPattern(now.Add(time.Hour), true) }, nil},
		{"at the end", func(a *hints.Hints) { a.Opened("x", false, now); a.CheckPattern(now, true); a.CheckPattern(now, true) }, []string{none}},
		{"after a while", func(a *hints.Hints) {
			a.Opened("x", false, now)
			a.CheckPattern(now.Add(hints.PatternPatience-1), false)
			a.Opened("y", false, now.Add(time.Second))
			a.CheckPattern(now.Add(hints.PatternPatience), false)
			a.CheckPattern(now.Add(2*hints.PatternPatience), true)
		}, []string{none}},
		{"a stray before", func(a *hints.Hints) {
			a.Opened("x", false, now)
			a.Opened("runs/b", true, now)
			a.CheckPattern(now.Add(time.Hour), true)
		}, nil},
		{"a stray behind", func(a *hints.Hints) {
			a.Opened("runs/b", true, now)
			a.Opened("x", false, now)
			a.CheckPattern(now.Add(time.Hour), true)
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			core, logged := observer.New(zapcore.WarnLevel)
			a := hints.New(zap.New(core), "runs/{a}")
			tt.do(a)
			assert.Equal(t, tt.want, warnings(logged))
		})
	}
}
