// Package pipeline takes the lines of one stream to telemetry: parser, joiner, redaction, telemetry. The receiver and the
// command have one [Pipeline] per input; [Events] is its first half, for those that need events only.
//
// # In and out
//
// In go the lines of the stream ([Pipeline.Line]), the passing of time ([Pipeline.Tick], [Pipeline.Quiet]), and how it ended
// ([Pipeline.Flush], then [Pipeline.Exited] or [Pipeline.Close]). Out comes what is to be exported ([Pipeline.Take], or
// [Pipeline.Deliver], which keeps what was not acknowledged). The first line may be an in-band line with the identity of the
// stream (config.InBand), which the parser does not see.
//
// [Framing] comes before: it takes the framing of container runtimes off the lines of a file.
//
// # States
//
//	from       on                                            to         action
//	----       --                                            --         ------
//	undecided  lines of a known provider                     open       telemetry is opened, their events are applied
//	undecided  more lines than detection reads               open       telemetry is opened, they pass as they are
//	undecided  a quiet time                                  undecided  the pending lines pass as they are
//	undecided  the end of the stream                         open       the same, and telemetry is opened if there is an event
//	open       [Pipeline.Suspend], with nothing pending      suspended  parser, joiner and redaction are released
//	suspended  [Pipeline.Resume]                             reparsing  lines are replayed for the parser alone
//	reparsing  [Pipeline.EndReplay]                          open       lines are new
//
// Lines that passed in a quiet time are parsed all the same if later lines are of a known provider: events never depend on
// the speed of a stream.
//
// A Pipeline does not know where lines come from, and nothing of restarts, except that [Pipeline.At] says whether a line is
// replayed. It serves one goroutine at a time.
package pipeline
