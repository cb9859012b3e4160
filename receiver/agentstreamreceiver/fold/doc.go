// Package fold takes the lines of one stream through parser, joiner, redaction and telemetry: line in, spans and records
// out. The receiver and the command have one [Stream] per input.
//
// # In and out
//
// In go the lines of the stream ([Stream.Line]), the passing of time ([Stream.Tick], [Stream.Quiet]), and how it ended
// ([Stream.Flush], then [Stream.Exited] and [Stream.Close]). Out comes what is to be exported ([Stream.Take]). The first line
// may be an in-band line with the identity of the stream (config.InBand), which the parser does not see.
//
// # States
//
//	from       on                                            to         what is done
//	----       --                                            --         ------------
//	undecided  lines of a known provider                     open       telemetry is opened, their events are applied
//	undecided  more lines than detection reads               open       telemetry is opened, they pass as they are
//	undecided  a quiet time                                  undecided  the pending lines pass as they are
//	undecided  the end of the stream                         open       the same, and telemetry is opened if there is an event
//
// Lines that passed in a quiet time are parsed all the same if later lines are of a known provider: events never depend on
// the speed of a stream.
//
// A Stream does not know where lines come from, and nothing of acknowledgement or restarts, except that [Stream.At] says
// whether a line is replayed. It serves one goroutine at a time.
package fold
