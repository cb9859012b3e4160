package style

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
)

// Call is a tool call in the activity style and in the status line.
type Call struct {
	title, target string
	path          bool // target is a path: keep its end
}

// CallOf returns the text of a call.
func CallOf(t *events.Tool) Call {
	known := lookUp(t.Name)
	w := Call{title: ToolTitle(t), path: known != nil && (known.field == fieldFile || known.field == fieldFolder)}
	switch {
	case known != nil && known.field == fieldNone:
	case w.path:
		w.target = strings.TrimSpace(safe.Line(strings.TrimSpace(t.Target), text.MaxRemembered))
	default:
		w.target = text.Brief(t.Target)
		if w.target != "" && known != nil && known.field == fieldTask {
			w.target = strings.TrimPrefix(text.Colon(text.Brief(t.AgentType), w.target), ": ")
		}
	}
	return w
}

// Fit returns the call in at most width cells; 0 sets no limit. It cuts the beginning of a path and the end of anything else.
func (c Call) Fit(width int) string {
	if c.target == "" {
		return text.FitOr(c.title, width)
	}
	line := c.title + " " + c.target
	if width <= 0 || text.Cells(line) <= width || !c.path {
		return text.FitOr(line, width)
	}
	const least = 5 // minimum cells of a path that are worth showing
	rest := width - text.Cells(c.title) - 1
	if rest < least {
		return text.FitOr(line, width)
	}
	return c.title + " " + text.FitEnd(c.target, rest)
}

// ToolTitle returns the common name of a tool: the label of a known one, "server: tool" for one of an MCP
// server, the raw name of any other.
func ToolTitle(t *events.Tool) string {
	if known := lookUp(t.Name); known != nil {
		return known.label
	}
	server, tool := mcpName(t)
	if server == "" || tool == "" {
		return ToolName(t.Name)
	}
	return text.Colon(text.Brief(server), text.Brief(tool))
}

// mcpPrefix begins the names of MCP tools in Claude Code, Codex and Gemini CLI: mcp__server__tool.
const mcpPrefix = "mcp__"

// mcpName splits the name of an MCP tool. server is empty for any other tool.
func mcpName(t *events.Tool) (server, tool string) {
	name, prefixed := strings.CutPrefix(t.Name, mcpPrefix)
	if t.Server == "" {
		if !prefixed {
			return "", ""
		}
		server, tool, _ = strings.Cut(name, "__")
		return server, tool
	}
	// Agents write the server before the tool, in its own spelling or in one that is valid in a name.
	for _, joint := range []string{"__", "_", ".", "/", ":"} {
		if rest, ok := strings.CutPrefix(name, t.Server+joint); ok {
			return t.Server, rest
		}
	}
	return t.Server, name
}

// ToolName returns the name as the provider spells it, or [events.UnknownTool] for a call without one.
func ToolName(name string) string {
	if clean := text.Brief(name); clean != "" {
		return clean
	}
	return events.UnknownTool
}

// StartsAgent reports whether a call starts a sub-agent.
func StartsAgent(t *events.Tool) bool {
	known := lookUp(t.Name)
	return t.AgentType != "" || known != nil && known.field == fieldTask
}

// KnownName returns the name of a tool. It returns "" for [events.UnknownTool], the exported name of a call without one.
func KnownName(t *events.Tool) string {
	if t.Name == events.UnknownTool {
		return ""
	}
	return t.Name
}
