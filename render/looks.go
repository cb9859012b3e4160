package render

import "github.com/tailspan/tailspan/events"

// look writes what one event looks like. It writes nothing but through [Renderer.line] and [Renderer.block].
type look func(*Renderer, *events.DisplayEvent)

// row is how one kind is shown.
type row struct {
	// ends is which unfinished text the kind ends, also where the kind itself shows nothing.
	ends extent
	// quiet is the look in quiet mode; nil shows nothing.
	quiet look
	// verbose is the look in verbose mode, by style; nil has not been decided, hidden shows nothing.
	verbose [styleEnd]look
}

// extent is whose text an event ends.
type extent uint8

const (
	endsNone   extent = iota
	endsThread        // the text of the same sub-agent, or of the main thread
	endsAll           // every text
)

// hidden shows nothing.
func hidden(*Renderer, *events.DisplayEvent) {}

// reasoning shows what the agent thinks, where that is asked for.
func reasoning(r *Renderer, e *events.DisplayEvent) {
	if r.settings.Reasoning {
		r.addText(e)
	}
}

// everywhere is one look for all styles.
func everywhere(l look) [styleEnd]look {
	var all [styleEnd]look
	for s := range all {
		all[s] = l
	}
	return all
}

// looks says what every kind but Text looks like in every style. Text is what all else is about and has code of its own
// (text.go). A kind that is not here shows nothing and ends nothing.
var looks = [...]row{
	events.KindToolUse: {ends: endsThread, verbose: [styleEnd]look{
		StyleMarker:     markerToolUse,
		StyleTranscript: transcriptToolUse,
		StyleProgress:   progressToolUse,
		StyleActivity:   activityToolUse,
	}},
	events.KindToolResult: {verbose: [styleEnd]look{
		StyleMarker:     markerToolResult,
		StyleTranscript: transcriptToolResult,
		StyleProgress:   progressToolResult,
		StyleActivity:   activityToolResult,
	}},
	events.KindToolProgress: {verbose: [styleEnd]look{
		StyleMarker:     hidden,
		StyleTranscript: hidden,
		StyleProgress:   progressToolProgress,
		StyleActivity:   hidden,
	}},
	events.KindNotice: {verbose: [styleEnd]look{
		StyleMarker:     bracketNotice,
		StyleTranscript: transcriptNotice,
		StyleProgress:   progressNotice,
		StyleActivity:   activityNotice,
	}},
	events.KindPhase: {verbose: [styleEnd]look{
		StyleMarker:     bracketPhase,
		StyleTranscript: bracketPhase,
		StyleProgress:   progressPhase,
		StyleActivity:   activityPhase,
	}},
	events.KindSessionStarted: {ends: endsAll, verbose: [styleEnd]look{
		StyleMarker:     hidden,
		StyleTranscript: transcriptSessionStarted,
		StyleProgress:   hidden,
		StyleActivity:   activitySessionStarted,
	}},
	events.KindTurnDone: {ends: endsThread, quiet: quietTurnDone, verbose: [styleEnd]look{
		StyleMarker:     bracketTurnDone,
		StyleTranscript: bracketTurnDone,
		StyleProgress:   quietTurnDone,
		StyleActivity:   activityTurnDone,
	}},
	events.KindTurnAborted: {ends: endsThread, quiet: quietTurnAborted, verbose: [styleEnd]look{
		StyleMarker:     bracketTurnAborted,
		StyleTranscript: bracketTurnAborted,
		StyleProgress:   quietTurnAborted,
		StyleActivity:   activityTurnAborted,
	}},
	events.KindSessionEnded: {ends: endsAll, quiet: quietSessionEnded, verbose: [styleEnd]look{
		StyleMarker:     bracketSessionEnded,
		StyleTranscript: transcriptSessionEnded,
		StyleProgress:   progressSessionEnded,
		StyleActivity:   activitySessionEnded,
	}},
	events.KindApprovalRequest: {verbose: [styleEnd]look{
		StyleMarker:     bracketApproval,
		StyleTranscript: bracketApproval,
		StyleProgress:   progressApproval,
		StyleActivity:   activityApproval,
	}},
	events.KindAskRequest: {verbose: [styleEnd]look{
		StyleMarker:     bracketAsk,
		StyleTranscript: bracketAsk,
		StyleProgress:   progressAsk,
		StyleActivity:   activityAsk,
	}},
	events.KindMessage:     {ends: endsThread, verbose: everywhere(hidden)},
	events.KindTurnStarted: {ends: endsThread, verbose: everywhere(hidden)},
	events.KindPrompt:      {ends: endsThread, verbose: everywhere(hidden)},
	events.KindReasoning:   {verbose: everywhere(reasoning)},
	events.KindUsage:       {verbose: everywhere(hidden)},
}

// rowOf is how a kind is shown.
func rowOf(k events.Kind) *row {
	if int(k) < len(looks) {
		return &looks[k]
	}
	return &row{}
}
