// Package account decides which stream exports a run when several streams describe the same work: standard output and
// the transcript of a session, a copy of a file, or a fork that begins with its parent's history.
//
// A thing is a run or a sub-agent, named by a hash that is the same in each stream. The first stream that claims a
// thing has its first [Account] ([Registry.Claim]). The run of any other stream gets a [Standing] ([Registry.Stand]):
//
//	another stream had           and the session is   standing          exported of it
//	nothing of the run           -                    First             everything
//	the run, by id and content   the same             Second, Joined    calls and texts whose ids nobody exported
//	the run, by signs            the same             Second, Twin      calls and texts of which the first has no sign
//	the sub-agent, no parent     the same             Orphan            nothing
//	its first item, by content   another              Copy              nothing
//	-                            marked in the format Marked            nothing
//
// Second becomes Joined or Twin once the run of the first account is known. Its spans are then children of that run,
// but change none of the first account's spans. It waits until the first account is over, because only then is known
// what that one lacks ([Registry.Await], [Registry.Over]).
//
// Some agents write IDs to their streams that their transcripts lack. Two accounts of one run are then matched by
// signs: hashes of what the agent said and did in one session. A stream on standard output and a transcript can be
// twins, but two streams or two transcripts cannot ([Registry.Stand]).
//
// The [Claims] of a stream are stored for a restart and restored by [Registry.Recall]. A recalled account has no items
// to compare and counts as over until its stream opens its run again. A copy can wait until its original was read ([Registry.AwaitReading]).
//
// The package does not know lines or spans. A Registry is safe for concurrent use and serializes the opening of runs, so that one
// account is first ([Registry.Open]). The numbers of things and of signs are limited, and each sign keeps at most eight runs.
package account
