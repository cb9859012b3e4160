package telemetry

// Agent describes the agent program whose stream is read.
type Agent struct {
	// Provider is tailspan's name of the format, such as "claude". It is part of every id.
	Provider string
	// ServiceName is the program's name as a service, such as "claude-code".
	ServiceName string
	// System is the value of gen_ai.provider.name, such as "anthropic"; empty if the format has none.
	System string
	// Folders is set if the files of its sub-agents may be linked to their session by their folder alone.
	Folders bool
	// OwnMessageIDs is true if the program itself makes the ids of messages, so that no two have one.
	OwnMessageIDs bool
	// UsageAfterCalls is true if the usage of a message is reported when the calls in it are over.
	UsageAfterCalls bool
	// StreamIDs is true if its stream on standard output has ids of messages, turns or calls that the transcript has not.
	StreamIDs bool
	// CallIDs is true if calls nevertheless have one id in both.
	CallIDs bool
	// TotalsOfAgents is true if the totals of its stream on standard output hold the tokens of sub-agents.
	TotalsOfAgents bool
	// Bodies is true if the stream holds answers of a server, which are never history of another session.
	Bodies bool
}
