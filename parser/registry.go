package parser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/openai"
	"github.com/tailspan/tailspan/parser/opencode"
	"github.com/tailspan/tailspan/parser/qwen"
)

// The names that stand for no provider of their own.
const (
	// Auto finds out who wrote the stream.
	Auto = "auto"
	// None passes all lines on as they are.
	None = "none"
)

// Info describes the program that writes a provider's format.
type Info struct {
	// Name is the provider's name here, such as "claude"; it takes part in ids.
	Name string
	// ServiceName is the program's name as a service (service.name), such as "claude-code".
	ServiceName string
	// System is the maker of its models (gen_ai.provider.name of the OpenTelemetry conventions); empty where the format
	// does not say.
	System string
	// Folders reports whether a sub-agent's transcript may be linked to its session by its folder alone; see [ParentSession].
	Folders bool
	// OwnMessageIDs is true if the program itself makes the ids of messages, so that no two have one; those of a server may
	// repeat.
	OwnMessageIDs bool
	// UsageAfterCalls is true if the format reports the usage of a message when the calls in it are over, so that the time of that
	// is not the end of the model's work.
	UsageAfterCalls bool
	// StreamIDs is true if the stream on standard output has ids of messages, turns or calls that the transcript has not.
	StreamIDs bool
	// CallIDs is true if calls nevertheless have one id in both.
	CallIDs bool
	// TotalsOfAgents is true if the totals of the stream on standard output hold the tokens of sub-agents.
	TotalsOfAgents bool
	// Bodies is true if the format is that of a server's answers, which are never history of another session.
	Bodies bool
}

// provider is one entry of the registry.
type provider struct {
	Info
	new    func() decode.Parser
	detect func(firstLines [][]byte) bool
	// parentSession derives the session that a sub-agent's transcript belongs to from its path; nil if paths do not name it.
	parentSession func(path string) string
	// group is the id that stands for several sub-agents, one of which a transcript is of, by its path; nil if paths
	// name none.
	group func(path string) string
	keeps keeps
}

// providers are asked in this order, so one that writes a form of another's format is before it.
var providers = [...]provider{
	{Info{Name: qwen.Name, ServiceName: "qwen-code", System: "qwen", StreamIDs: true, CallIDs: true}, func() decode.Parser { return qwen.New() }, qwen.Detect, nil, nil, qwenKeeps},
	{Info{Name: claude.Name, ServiceName: "claude-code", System: "anthropic", TotalsOfAgents: true}, func() decode.Parser { return claude.New() }, claude.Detect, nil, claude.Group, claudeKeeps},
	{Info{Name: gemini.Name, ServiceName: "gemini-cli", System: "gcp.gemini", Folders: true, StreamIDs: true, CallIDs: true, TotalsOfAgents: true}, func() decode.Parser { return gemini.New() }, gemini.Detect, gemini.ParentSession, nil, geminiKeeps},
	{Info{Name: openai.Name, ServiceName: "openai-compatible", System: "openai", Bodies: true}, func() decode.Parser { return openai.New() }, openai.Detect, nil, nil, keeps{}},
	{Info{Name: opencode.Name, ServiceName: "opencode", OwnMessageIDs: true, UsageAfterCalls: true}, func() decode.Parser { return opencode.New() }, opencode.Detect, nil, nil, opencodeKeeps},
	{Info{Name: codex.Name, ServiceName: "codex", System: "openai", StreamIDs: true}, func() decode.Parser { return codex.New() }, codex.Detect, nil, nil, codexKeeps},
}

// Names lists what New accepts: the providers, then "auto" and "none".
func Names() []string {
	names := make([]string, 0, len(providers)+2)
	for _, p := range providers {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return append(names, Auto, None)
}

// New returns the source for one stream of a provider, or of "auto" or "none".
func New(name string) (*Source, error) {
	switch name {
	case Auto:
		return &Source{state: stateUndecided}, nil
	case None:
		return &Source{state: statePassing}, nil
	}
	for _, p := range providers {
		if p.Name == name {
			return &Source{state: stateParsing, provider: p.Name, parser: p.new()}, nil
		}
	}
	return nil, fmt.Errorf("provider %q is not known, want one of %s", name, strings.Join(Names(), ", "))
}

// InfoOf describes a provider; for a stream of none it holds the name "none" alone.
func InfoOf(name string) Info {
	for _, p := range providers {
		if p.Name == name {
			return p.Info
		}
	}
	return Info{Name: None}
}

// ParentSession is the session whose sub-agent the transcript at path is of, where a provider's folders name it; else
// it is empty.
func ParentSession(provider, path string) string {
	for _, p := range providers {
		if p.Name == provider && p.parentSession != nil {
			return p.parentSession(path)
		}
	}
	return ""
}

// Group is the id that stands for several sub-agents, one of which works in the transcript at path, where a provider's
// folders name it; else it is empty. The call that started them has the same id as that of its agent.
func Group(provider, path string) string {
	for _, p := range providers {
		if p.Name == provider && p.group != nil {
			return p.group(path)
		}
	}
	return ""
}

// Detect determines from the first lines of a stream who wrote it.
func Detect(lines [][]byte) (name string, ok bool) {
	for _, p := range providers {
		if p.detect(lines) {
			return p.Name, true
		}
	}
	return "", false
}

// newParser returns the parser of a provider that Detect named.
func newParser(name string) decode.Parser {
	for _, p := range providers {
		if p.Name == name {
			return p.new()
		}
	}
	return nil
}
