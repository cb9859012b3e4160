package telemetry

// timed is what of a stream is due later, by time: see [wait.Timers].
type timed uint8

const (
	waitParent   timed = iota // a sub-agent's stream whose span is open
	waitExit                  // a run that waits for the exit of its process
	waitProgress              // a run that is watched live, since progress was reported last
	waitEnd                   // a run that has shown its end, since no line followed
	waitTeam                  // a span that waits for sub-agents in other streams
)

// await has s wait from now on.
func (r *Registry) await(what timed, s *Stream) { r.timers.Start(what, s, r.settings.Now()) }
