// Package pipeline turns the lines of one stream into telemetry. The lines pass a parser, a joiner, which makes whole texts of deltas,
// and the redaction of secrets. The receiver and the command have one [Pipeline] per input. [Events] is its first half, for callers
// that only need events.
//
// # Input and output
//
// A Pipeline receives the lines of the stream ([Pipeline.Line]), the passing of time ([Pipeline.Tick], [Pipeline.Quiet]), and the end
// ([Pipeline.Flush], then [Pipeline.Exited] or [Pipeline.Close]). It returns what is to be exported ([Pipeline.Take], or
// [Pipeline.Deliver], which keeps unacknowledged output). The first line may be an in-band line with the identity of the stream
// ([config.InBand]), which the parser does not see. For files, a [Framing] first removes the framing of container runtimes.
//
// # States
//
//	from       on                                            to         action
//	----       --                                            --         ------
//	undecided  lines of a known provider                     open       telemetry is opened, their events are applied
//	undecided  more lines than detection reads               open       telemetry is opened, the lines pass unchanged
//	undecided  a quiet time                                  undecided  the pending lines pass unchanged
//	undecided  the end of the stream                         open       the same; telemetry is opened if there is an event
//	open       [Pipeline.Suspend], with nothing pending      suspended  parser, joiner and redaction are released
//	suspended  [Pipeline.Resume]                             reparsing  lines are replayed for the parser only
//	reparsing  [Pipeline.EndReplay]                          open       lines are new
//
// Lines that passed in a quiet time are also parsed if later lines are of a known provider, so events never depend on
// the speed of a stream.
//
// A Pipeline does not know where lines come from. Of restarts it only knows whether the current line is replayed
// ([Pipeline.At]). It is not safe for concurrent use.
package pipeline
