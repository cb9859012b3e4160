package live

import (
	"testing"
)

// TestLive plays every scenario with every CLI, under `tailspan run` and with a collector that follows the transcripts.
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
	s := func() *stage {
		if !sc.waits {
			atWork <- struct{}{}
			defer func() { <-atWork }()
		}
		s := newStage(t, c, sc.script)
		if settings := c.settings[sc.name]; settings != nil {
			settings(t, s.place)
		}
		sc.play(s)
		return s
	}()
	want := c.expected(sc, byCollector)
	s.settle(len(want.runs))
	s.keep(c.provider + "-" + sc.name)
	t.Run(string(byRun), func(t *testing.T) {
		want := c.expected(sc, byRun)
		s.compare(t, &want, s.stream)
		s.compareOutput(t, &want)
		s.compareVerdict(t, &want)
	})
	t.Run(string(byCollector), func(t *testing.T) {
		s.compare(t, &want, s.transcript)
		s.compareSessions(t, &want)
	})
}
