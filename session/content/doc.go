// Package content reads from one event what the rest of session decides by.
//
//	what the event shows    who did it and what it begins or ends ([ByProgram], [ModelWorks], [StartsSession], [Ends])
//	what the model said     the part that accounts of a run have in common ([Said]), and its hash ([Hash])
//	what its record is      the parts of a record's identity ([Append])
//	what it costs to keep   its size ([Size])
//
// An ID alone proves nothing. Servers number their answers and start over (Ollama: chatcmpl-0 to chatcmpl-998), proxies
// send one ID with every answer, and a file can be written to carry the IDs of another session. So the content of an
// item is part of its ID, and copies are recognized by equal content; see package account.
//
// The main thread of a run is what has no [events.DisplayEvent.ParentID]: everything else is the work of a sub-agent.
//
// The functions are pure. They keep no reference to an event, and [Append] does not allocate if its buffer has room.
package content
