// Package pending holds the events of a stream that wait: for the key of their run, for a time, or for another account of the run.
//
// A stream adds its events to [Events] and removes them from the front once they lack nothing. The [Delivery] of an [Event] is what an
// earlier process did with it, its [Origin] the position in the stream. [Numbers] makes the origins of a line.
//
//	a line without a time          [Events.Undated]; [Events.Date] sets the time once one is known
//	a run whose key is unknown     what its first events show: [Events.Session], [Events.Turn], [Events.Child], [Events.Prompt]
//	too many or too large          [Events.Exceed]; releasing some of them ends with [Events.LeaveRoom]
//	a gap between two events       [Events.BeforeGap]: what is before it is complete
//	a session nobody used          [Events.IsUnasked], [Events.UnaskedBeforeGap]
//	a prompt without an answer     [Events.Asked]
//
// A transcript without a prompt is no run. Agents create their files before the first prompt: Gemini CLI when it starts or resumes a
// session, and it adds the notices that it shows; OpenCode when a program creates a session. A prompt that was sent is in the
// transcript even if it failed. OpenCode refuses a prompt before it stores it, but the session has its model by then.
//
// The package does not know runs or spans, and reads no clock. Its types are not safe for concurrent use.
package pending
