// Package account decides which of several streams exports a run, where more than one is about the same work: the stream on
// standard output and the transcript of a session, a copy of a file, a fork that begins with its parent's history.
//
// A thing is a run or a sub-agent, named by a hash that is the same in each stream that has it. The first stream that claims
// a thing has the first [Account] of it ([Registry.Claim]). What the run of another one is, is its [Standing] ([Registry.Stand]):
//
//	another stream had           and the session is   standing          exported of it
//	nothing of the run           -                    First             everything
//	the run, by id and content   the same             Second, Joined    calls and texts whose ids nobody exported
//	the run, by signs            the same             Second, Twin      calls and texts of which the first has no sign
//	the sub-agent, no parent     the same             Orphan            nothing
//	its first item, by content   another              Copy              nothing
//	-                            marked in the format Marked            nothing
//
// Second becomes Joined or Twin once the run of the first is known: then its spans lie below that run. It changes no span of
// the first. It waits until the first one is over, since only then is known what that one lacks ([Registry.Await],
// [Registry.Over]).
//
// The streams of some agents have ids that their transcripts have not. Two accounts of one run are then recognised by signs: hashes
// of what the agent said and did in one session. A stream on standard output and a transcript can be twins, two streams or
// two transcripts cannot ([Registry.Pair]).
//
// What a stream claimed, its [Claims], is kept over a restart, and [Registry.Recall] takes it back: such an account has no items
// that could be compared, and counts as over until its stream opens its run again.
//
// The package knows no lines and no spans. A Registry is safe for use by many goroutines; of the runs that open at the same time
// one is the first ([Registry.Open]). It remembers as many things, and as many signs, as its limit says, and eight runs of a sign.
package account
