package render_test

import (
	"fmt"
	"os"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

func Example() {
	r := render.New(os.Stdout, render.Settings{Mode: render.ModeVerbose})
	r.Emit(&events.DisplayEvent{Kind: events.KindText, Text: "I'll look at the failing test."})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t1", Name: "Read", Target: "calc_test.go"}})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1", Summary: "package calc"}})
	r.Emit(&events.DisplayEvent{Kind: events.KindText, Text: "Found it."})
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// I'll look at the failing test.
	// [tool: Read(calc_test.go)]
	// Found it.
}

func ExampleRenderer_transcript() {
	r := render.New(os.Stdout, render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript})
	r.Emit(&events.DisplayEvent{Kind: events.KindSessionStarted, SessionID: "1a2b3c4d-0000-4000-8000-000000000001", Model: "demo-1"})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t1", Name: "Bash", Target: "go test ./..."}})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1", Error: true, Err: "FAIL calc"}})
	r.Emit(&events.DisplayEvent{Kind: events.KindText, Text: "It fails."})
	r.Emit(&events.DisplayEvent{Kind: events.KindSessionEnded, End: &events.End{Result: "It fails."}})
	// Output:
	// [session 1a2b3c4d · demo-1]
	// [Bash] $ go test ./...
	// → error: FAIL calc
	// It fails.
	//
	// --- Result ---
	// It fails.
}

func ExampleRenderer_progress() {
	r := render.New(os.Stdout, render.Settings{Mode: render.ModeVerbose, Style: render.StyleProgress})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t1", Name: "read", Target: "src/auth.ts"}})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1"}})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t2", Name: "edit", Target: "src/tool.ts"}})
	r.Emit(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t2", Error: true}})
	// Output:
	// Reading src/auth.ts
	// Finished reading src/auth.ts
	// Editing src/tool.ts
	// Edit failed: src/tool.ts
}

func ExampleSanitize() {
	fmt.Println(render.Sanitize("safe \x1b]0;owned\x07\x1b[31mred\x1b[0m\rnext"))
	// Output:
	// safe red
	// next
}
