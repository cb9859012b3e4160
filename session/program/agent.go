package program

// Agent describes the agent program that writes a stream.
type Agent struct {
	// Provider is tailspan's name of the format, such as "claude". It is part of every ID.
	Provider string
	// ServiceName is the program's service name, such as "claude-code".
	ServiceName string
	// System is the value of gen_ai.provider.name, such as "anthropic"; empty if the format has none.
	System string
	// Folders is true if the files of its sub-agents may be linked to their session by their folder alone.
	Folders bool
	// OwnMessageIDs is true if the program itself makes the IDs of messages, so that they are unique.
	OwnMessageIDs bool
	// UsageAfterCalls is true if the usage of a message is reported after the calls in it are over.
	UsageAfterCalls bool
	// StreamIDs is true if its stream on standard output has IDs of messages, turns or calls that the transcript lacks.
	StreamIDs bool
	// CallIDs is true if calls nevertheless have the same ID in both.
	CallIDs bool
	// TotalsOfAgents is true if the totals of its stream on standard output include the tokens of sub-agents.
	TotalsOfAgents bool
	// Bodies is true if the stream consists of a server's answers, which are never history of another session.
	Bodies bool
}
