// Package events defines [DisplayEvent], which describes one thing that a coding agent did. An event does not depend on
// which agent produced it or on how it is shown or exported.
//
// Package parser turns lines into events. Package telemetry builds spans and log records from them, and package render
// writes them as text for people. Agents written in Go can emit events to a [Sink] directly. This package knows nothing
// about JSON, OpenTelemetry data or styling, and it imports only the standard library.
//
// # Lifetime
//
// The slice that [DisplayEventSource.ParseEvents] returns, and the borrowed fields [Tool.Input] and [Tool.Output], are
// valid until the next call of the same source. The caller may keep all other strings.
//
// # Goroutines
//
// Events are plain data. A [DisplayEventSource] serves one stream from one goroutine. A [Sink] is called from one
// goroutine at a time.
//
// # Limits
//
// [Tool.Arg] returns at most [PreviewRunes] (40) runes, [Summary] at most [SummaryRunes] (120). Nothing else is cut here.
//
// # Names in earlier designs
//
// The project grew out of several designs that used different names for the same things.
//
//	earlier name                                name here
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
