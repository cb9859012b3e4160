package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
)

// Page configures what a page shows besides the data that was read.
type Page struct {
	// Title is the heading: the step, or the program.
	Title   string
	Verdict verdict.Verdict
	// Spent is the usage up to the end. Its cost is shown if the runs report none.
	Spent ledger.Sum
	// TraceURL is the address of a trace with [TraceID] in place of its ID; "" for no link.
	TraceURL string
	// Name, if set, restricts the page to names and numbers: no text, argument or path. It returns what may be shown of a name.
	Name func(string) string
}

// TraceID is the placeholder for a trace ID in an address.
const TraceID = "{trace_id}"

// inLink escapes characters that would end an address in a Markdown link or a table cell.
var inLink = strings.NewReplacer("|", "%7C", "<", "%3C", ">", "%3E", " ", "%20", `\`, "%5C")

// Markdown writes the page.
func (r *Reader) Markdown(p *Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", escape(cmp.Or(p.Title, "agent")), p.Verdict.Kind)
	if p.Verdict.Reason != "" {
		fmt.Fprintf(&b, "%s\n\n", escape(p.Verdict.Reason))
	}
	r.facts(&b, p)
	r.toolTable(&b, p)
	if p.Name == nil {
		r.failureTable(&b)
		r.lastWords(&b)
	}
	return b.String()
}

func (r *Reader) facts(b *strings.Builder, p *Page) {
	var rows [][2]string
	add := func(name, value string) { rows = append(rows, [2]string{name, value}) }
	if len(r.agents) > 0 && p.Name == nil {
		add("agent", escape(strings.Join(r.agents, "; ")))
	}
	if r.runs > 1 {
		add("runs", strconv.Itoa(r.runs))
	}
	if r.subAgents > 0 {
		add("sub-agents", strconv.Itoa(r.subAgents))
	}
	if r.runs > 0 {
		add("duration", render.ShortDuration(r.end.AsTime().Sub(r.start.AsTime())))
	}
	if r.tokens.Input+r.tokens.Output > 0 {
		add("tokens", render.Tokens(&r.tokens))
	}
	switch {
	case r.hasCost:
		add("cost", escape(render.USD(r.cost, r.estimated)))
	case p.Spent.HasCost: // not all tokens are known
		add("cost", "at least "+escape(render.USD(p.Spent.CostUSD, p.Spent.Estimated)))
	}
	if p.TraceURL != "" && !r.trace.IsEmpty() {
		id := r.trace.String()
		add("trace", fmt.Sprintf("[%s](<%s>)", id, inLink.Replace(strings.ReplaceAll(p.TraceURL, TraceID, id))))
	}
	if len(rows) == 0 {
		return
	}
	b.WriteString("| | |\n|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", row[0], row[1])
	}
	b.WriteByte('\n')
}

func (r *Reader) toolTable(b *strings.Builder, p *Page) {
	if len(r.tools) == 0 {
		return
	}
	tools := slices.SortedStableFunc(slices.Values(r.tools), func(x, y tool) int { return cmp.Compare(y.calls, x.calls) })
	b.WriteString("| tool | calls | failed | time |\n|---|---:|---:|---:|\n")
	for i := range tools {
		if i == MaxTools {
			fmt.Fprintf(b, "| and %d more | | | |\n", len(tools)-i)
			break
		}
		t := &tools[i]
		name := t.name
		if p.Name != nil {
			name = p.Name(name)
		}
		fmt.Fprintf(b, "| %s | %d | %d | %s |\n", escape(name), t.calls, t.failed, render.ShortDuration(t.time))
	}
	b.WriteByte('\n')
}

func (r *Reader) failureTable(b *strings.Builder) {
	if len(r.failures) == 0 {
		return
	}
	b.WriteString("| failed | on | why |\n|---|---|---|\n")
	for _, f := range r.failures {
		fmt.Fprintf(b, "| %s | %s | %s |\n", escape(f.tool), escape(f.target), escape(f.why))
	}
	if r.moreFailed > 0 {
		fmt.Fprintf(b, "| and %d more | | |\n", r.moreFailed)
	}
	b.WriteByte('\n')
}

// lastWords writes the last words in a code block whose fence is longer than any in them.
func (r *Reader) lastWords(b *strings.Builder) {
	words := strings.TrimSpace(render.Sanitize(r.words))
	if words == "" {
		return
	}
	if runes := []rune(words); len(runes) > MaxWords {
		words = "…" + string(runes[len(runes)-MaxWords+1:])
	}
	fence := "```"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "Last words:\n\n%stext\n%s\n%s\n", fence, words, fence)
}

// escape makes a text a plain part of a Markdown line.
func escape(text string) string {
	var b strings.Builder
	for _, c := range render.Sanitize(text) {
		switch {
		case c == '\n' || c == '\t':
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_{}[]()<>#+!|~@&$:", c):
			fmt.Fprintf(&b, "&#%d;", c)
		default:
			b.WriteRune(c)
		}
	}
	return strings.ReplaceAll(b.String(), "www.", "www&#46;") // some viewers turn it into a link
}
