// Package events defines what a coding agent does, one [DisplayEvent] a thing done, independent of the agent that did
// it and of the way it is shown or exported.
//
// Parsers (package parser) make events out of lines, package telemetry folds them into spans and log records, package
// render writes them for people, and agents written in Go emit them to a [Sink] themselves. The package knows no JSON,
// no OpenTelemetry data and no styling. It imports nothing but the standard library.
//
// # Lifetime
//
// The slice that [DisplayEventSource.ParseEvents] returns, and the two borrowed fields [Tool.Input] and [Tool.Output],
// are valid until the next call of the same source. All other strings are the reader's to keep.
//
// # Goroutines
//
// Values are plain data. A [DisplayEventSource] serves one stream from one goroutine. A [Sink] is called from one
// goroutine at a time.
//
// # Limits
//
// [Tool.Arg] holds at most [PreviewRunes] (40) runes. Nothing else is cut here.
//
// # Names of the seeds
//
// The project was born from several designs that named the same things differently.
//
//	seed                                        here
//	----                                        ----
//	DisplayEvent.Kind EventText                 KindText
//	DisplayEvent.Kind EventToolUse              KindToolUse
//	EventReasoning (deferred there)             KindReasoning
//	DisplayEvent Text, Name, Arg, tool-call id  Text, Tool.Name, Tool.Arg(), Tool.ID
//	LineExtractor                               DisplayEventSource
//	DisplayOutput                               DisplayOutput
//	ToolDispatch, tool_use, tool-activity       KindToolUse
//	stream_activity event                       KindToolUse with pipeline and step on its resource
//	ToolDispatch with Partial                   KindToolUse with Tool.Partial
//	Tool.Args (raw JSON)                        Tool.Input
//	Tool.Output, Err, ReadOnly, Truncated       Tool.Output, Err, ReadOnly, Truncated
//	Tool.ParentID                               DisplayEvent.ParentID
//	tool target, primary target                 Tool.Target (whole), Tool.Arg() (cut)
//	Event.Text, Reasoning                       Text, Reasoning
//	Usage, provider.Usage                       Usage
//	SessionHit, SessionMiss                     Usage.SessionCacheHit, Usage.SessionCacheMiss
//	Pricing                                     Usage.Pricing
//	Level, LevelInfo, LevelWarn                 Level, LevelInfo, LevelWarn
//	Approval                                    Approval
//	Ask, AskQuestion, AskOption, AskAnswer      Ask, AskQuestion, AskOption, AskAnswer
//	TurnAborted.Covenant                        End.Principle
//	TurnDone.Err                                End.Error, End.Err
//	final-result event, system/result           KindSessionEnded with End
//	system/init, session header                 KindSessionStarted with Session
//	Retrying API call                           KindNotice with Code "api_retry"
//	FuncSink, Discard                           FuncSink, Discard
package events
