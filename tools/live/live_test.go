package live

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLive plays every scenario to every CLI, below `tailspan run` and beside a collector that follows the transcripts.
func TestLive(t *testing.T) {
	needed(t, "TAILSPAN_CLIS")
	watchNetwork(t)
	for _, c := range clis {
		for _, sc := range scenarios {
			if _, not := c.cannot[sc.name]; not {
				continue
			}
			t.Run(c.provider+"/"+sc.name, func(t *testing.T) {
				t.Parallel()
				play(t, c, &sc)
			})
		}
	}
}

func play(t *testing.T, c cli, sc *scenario) {
	t.Helper()
	s, exit := func() (*stage, int) {
		if !sc.waits {
			atWork <- struct{}{}
			defer func() { <-atWork }()
		}
		s := newStage(t, c, sc.script(c))
		if sc.name == "compaction" && c.compact.settings != nil {
			c.compact.settings(t, s.place)
		}
		return s, sc.play(s)
	}()
	want := c.expected(sc, byCollector)
	s.settle(len(want.runs))
	s.keep(c.provider + "-" + sc.name)
	if sc.want.exit != nil {
		assert.Contains(t, sc.want.exit, exit, "exit code")
	}
	t.Run(string(byRun), func(t *testing.T) {
		want := c.expected(sc, byRun)
		s.compare(t, &want, s.stream)
	})
	t.Run(string(byCollector), func(t *testing.T) { s.compare(t, &want, s.transcript) })
}
