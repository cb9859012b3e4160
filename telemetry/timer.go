package telemetry

// timerKind is a kind of timer of a stream; see [wait.Timers].
type timerKind uint8

const (
	waitParent   timerKind = iota // a sub-agent's stream with an open span
	waitExit                      // a run that waits for the exit of its process
	waitProgress                  // a live run, since the last progress report
	waitEnd                       // a run that has shown its end, since its last line
	waitAgents                    // an old file whose run has sub-agents that may be at work
	waitTeam                      // a span that waits for sub-agents in other streams
)

func (r *Registry) startTimer(kind timerKind, s *Stream) { r.timers.Start(kind, s, r.settings.Now()) }
