package telemetry

// timed is a kind of timer of a stream; see [wait.Timers].
type timed uint8

const (
	waitParent   timed = iota // a sub-agent's stream with an open span
	waitExit                  // a run that waits for the exit of its process
	waitProgress              // a live run, since the last progress report
	waitEnd                   // a run that has shown its end, since its last line
	waitTeam                  // a span that waits for sub-agents in other streams
)

// await starts or restarts a timer of s.
func (r *Registry) await(what timed, s *Stream) { r.timers.Start(what, s, r.settings.Now()) }
