package style

import (
	"github.com/tailspan/tailspan/events"
)

// Look writes what one event looks like. It writes nothing but through its [Pen].
type Look func(*Pen, *events.DisplayEvent)

// Row is how one kind is shown.
type Row struct {
	// Ends is which unfinished text the kind ends, also where the kind itself shows nothing.
	Ends Extent
	// quiet is the look in quiet mode; nil shows nothing.
	quiet Look
	// verbose is the look in verbose mode, by style; nil has not been decided, hidden shows nothing.
	verbose [styleEnd]Look
}

// Extent is whose text an event ends.
type Extent uint8

// The extents.
const (
	EndsNone   Extent = iota
	EndsThread        // the text of the same sub-agent, or of the main thread
	EndsAll           // every text
)

// hidden shows nothing.
func hidden(*Pen, *events.DisplayEvent) {}

// everywhere is one look for all styles.
func everywhere(l Look) [styleEnd]Look {
	var all [styleEnd]Look
	for s := range all {
		all[s] = l
	}
	return all
}

// looks says what every kind but Text looks like in every style. Texts and reasoning are written by the
// Renderer itself. A kind that is not here shows nothing and ends nothing.
var looks = [...]Row{
	events.KindToolUse: {Ends: EndsThread, verbose: [styleEnd]Look{
		StyleMarker:     markerToolUse,
		StyleTranscript: transcriptToolUse,
		StyleProgress:   progressToolUse,
		StyleActivity:   activityToolUse,
	}},
	events.KindToolResult: {verbose: [styleEnd]Look{
		StyleMarker:     markerToolResult,
		StyleTranscript: transcriptToolResult,
		StyleProgress:   progressToolResult,
		StyleActivity:   activityToolResult,
	}},
	events.KindToolProgress: {verbose: [styleEnd]Look{
		StyleMarker:     hidden,
		StyleTranscript: hidden,
		StyleProgress:   progressToolProgress,
		StyleActivity:   hidden,
	}},
	events.KindNotice: {verbose: [styleEnd]Look{
		StyleMarker:     bracketNotice,
		StyleTranscript: transcriptNotice,
		StyleProgress:   progressNotice,
		StyleActivity:   activityNotice,
	}},
	events.KindPhase: {verbose: [styleEnd]Look{
		StyleMarker:     bracketPhase,
		StyleTranscript: bracketPhase,
		StyleProgress:   progressPhase,
		StyleActivity:   activityPhase,
	}},
	events.KindSessionStarted: {Ends: EndsAll, verbose: [styleEnd]Look{
		StyleMarker:     hidden,
		StyleTranscript: transcriptSessionStarted,
		StyleProgress:   hidden,
		StyleActivity:   activitySessionStarted,
	}},
	events.KindTurnDone: {Ends: EndsThread, quiet: quietTurnDone, verbose: [styleEnd]Look{
		StyleMarker:     bracketTurnDone,
		StyleTranscript: bracketTurnDone,
		StyleProgress:   quietTurnDone,
		StyleActivity:   activityTurnDone,
	}},
	events.KindTurnAborted: {Ends: EndsThread, quiet: quietTurnAborted, verbose: [styleEnd]Look{
		StyleMarker:     bracketTurnAborted,
		StyleTranscript: bracketTurnAborted,
		StyleProgress:   quietTurnAborted,
		StyleActivity:   activityTurnAborted,
	}},
	events.KindSessionEnded: {Ends: EndsAll, quiet: quietSessionEnded, verbose: [styleEnd]Look{
		StyleMarker:     bracketSessionEnded,
		StyleTranscript: transcriptSessionEnded,
		StyleProgress:   progressSessionEnded,
		StyleActivity:   activitySessionEnded,
	}},
	events.KindApprovalRequest: {verbose: [styleEnd]Look{
		StyleMarker:     bracketApproval,
		StyleTranscript: bracketApproval,
		StyleProgress:   progressApproval,
		StyleActivity:   activityApproval,
	}},
	events.KindAskRequest: {verbose: [styleEnd]Look{
		StyleMarker:     bracketAsk,
		StyleTranscript: bracketAsk,
		StyleProgress:   progressAsk,
		StyleActivity:   activityAsk,
	}},
	events.KindMessage:     {Ends: EndsThread, verbose: everywhere(hidden)},
	events.KindTurnStarted: {Ends: EndsThread, verbose: everywhere(hidden)},
	events.KindPrompt:      {Ends: EndsThread, verbose: everywhere(hidden)},
	events.KindReasoning:   {verbose: everywhere(hidden)}, // a text behind a margin,
	events.KindUsage:       {verbose: everywhere(hidden)},
}

// RowOf is how a kind is shown.
func RowOf(k events.Kind) *Row {
	if int(k) < len(looks) {
		return &looks[k]
	}
	return &Row{}
}

// Look is how the kind looks in a mode and a style; nil where it shows nothing.
func (r *Row) Look(m Mode, s Style) Look {
	switch m {
	case ModeQuiet:
		return r.quiet
	case ModeVerbose:
		return r.verbose[s]
	default:
		return nil
	}
}
