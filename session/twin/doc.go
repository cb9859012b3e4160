// Package twin makes the signs by which two accounts of one run are recognized although their IDs differ.
//
// Some agents write IDs to their streams on standard output that their transcripts lack. A [Signer] makes the signs of what one of them
// says and does; package account compares them. A sign is a hash of this process and holds for one session:
//
//	item                its sign
//	a text              its beginning, which is equal in accounts that split it differently ([Signer.Signs])
//	a text, exactly     all of its visible characters ([Signer.Text])
//	texts of a call     the same of all texts of a kind that a model call said ([Signer.Texts])
//	a tool call         its target and the kind of its tool, because IDs alone prove nothing and tools have two names
//	the n-th like it    the same with its number among similar calls of the run ([Signer.Call])
//
// Two accounts of a model call contain the same words but may split them differently: Gemini CLI's stream ends a text where a call
// begins, while its transcript contains the whole text of a message or what was added to it. A second account that is a twin therefore
// drops a text if the first account has the same text, or the same words in all texts of a model call taken together. Until the model
// call is over, a text without an exact match waits in the [Wording] of the call. The comparison ignores invisible characters and white
// space, at which the texts may be split.
//
// The package does not know runs or spans. Its types are not safe for concurrent use.
package twin
