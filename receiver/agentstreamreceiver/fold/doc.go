// Package fold takes the lines of one stream through parser, joiner, redaction and fold: line in, spans and records out.
// Whoever reads agents' output and hands telemetry on has one [Stream] for each stream: the receiver, and `tailspan run`.
//
// # In and out
//
// In go the records of the stream, one by one ([Stream.Line]), word of time that passed ([Stream.Tick], [Stream.Quiet]), and
// how it ended ([Stream.Flush], then [Stream.Exited] and [Stream.Close]). Out comes what there is to hand on
// ([Stream.Take]). The first line may be one of our own that tells whose work the stream is (config.InBand); it goes no
// further.
//
// # States
//
//	from       on                                            to         what is done
//	----       --                                            --         ------------
//	undecided  lines that tell the provider                  open       the fold is opened, their events are folded
//	undecided  more lines than detection looks at            open       the fold is opened, they pass as they are
//	undecided  a quiet time                                  undecided  the lines that wait pass as they are
//	undecided  the end of the stream                         open       the same, and the fold is opened if anything is told
//
// Lines that passed in a quiet time are parsed all the same if the lines after them tell the provider: events never depend
// on how fast a stream came.
//
// A Stream knows nothing of where lines come from, of acceptance, or of a restart, but for what it is given to know of them:
// [Stream.At] says whether a line is silent. It serves one goroutine at a time, and holds what the parser and the fold hold.
package fold
