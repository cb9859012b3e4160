package style

import (
	"github.com/tailspan/tailspan/events"
)

// Look writes one event. It writes only through its [Pen].
type Look func(*Pen, *events.DisplayEvent)

// Row says how one kind is shown.
type Row struct {
	// Ends is the unfinished text that the kind ends, even if the kind itself shows nothing.
	Ends Extent
	// quiet is the look in quiet mode; nil shows nothing.
	quiet Look
	// verbose is the look in verbose mode, by style. nil means undecided, hidden shows nothing.
	verbose [styleEnd]Look
}

// Extent says which texts an event ends.
type Extent uint8

// The extents.
const (
	EndsNone   Extent = iota
	EndsThread        // the text of the same sub-agent, or of the main thread
	EndsAll           // every text
)

// hidden shows nothing.
func hidden(*Pen, *events.DisplayEvent) {}

// everywhere returns one look for all styles.
func everywhere(l Look) [styleEnd]Look {
	var all [styleEnd]Look
	for s := range all {
		all[s] = l
	}
	return all
}

// looks says what every kind except Text looks like in every style. The Renderer itself writes texts and
// reasoning. A kind that is not listed shows nothing and ends nothing.
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

// RowOf returns the row of a kind.
func RowOf(k events.Kind) *Row {
	if int(k) < len(looks) {
		return &looks[k]
	}
	return &Row{}
}

// Look returns the look of the kind in a mode and a style, or nil if it shows nothing.
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
