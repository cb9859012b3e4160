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

// The names that are not those of a provider.
const (
	// Auto detects who wrote the stream.
	Auto = "auto"
	// None passes all lines unchanged.
	None = "none"
)

// Info describes the program that writes a provider's format.
type Info struct {
	// Name is our name of the provider, such as "claude". It is part of IDs.
	Name string
	// ServiceName is the service name of the program (service.name), such as "claude-code".
	ServiceName string
	// System is the vendor of its models (gen_ai.provider.name of the OpenTelemetry conventions); empty if the format
	// does not name it.
	System string
	// Folders is true if a sub-agent's transcript may be linked to its session by its folder alone; see [ParentSession].
	Folders bool
	// OwnMessageIDs is true if the program itself creates the message IDs, so that they are unique. IDs that a server
	// creates may recur.
	OwnMessageIDs bool
	// UsageAfterCalls is true if the format reports the usage of a message after its calls have ended, so that the time of the
	// usage is not the end of the model's work.
	UsageAfterCalls bool
	// StreamIDs is true if the stream on standard output has IDs of messages, turns or calls that the transcript lacks.
	StreamIDs bool
	// CallIDs is true if calls nevertheless have the same ID in both.
	CallIDs bool
	// TotalsOfAgents is true if the totals of the stream on standard output include the tokens of sub-agents.
	TotalsOfAgents bool
	// Bodies is true if the format is a server's response bodies, which never contain history of another session.
	Bodies bool
}

// provider is one entry of the registry.
type provider struct {
	Info
	new    func() decode.Parser
	detect func(firstLines [][]byte) bool
	// parentSession returns the session of a sub-agent's transcript by its path; nil if paths do not name it.
	parentSession func(path string) string
	// group returns, by the path of a transcript, the ID shared by the sub-agents that include its agent; nil if
	// paths do not name one.
	group func(path string) string
	keeps keeps
}

// providers are tried in this order. A provider that also writes a form of another provider's format comes before that one.
var providers = [...]provider{
	{
		Info: Info{
			Name: qwen.Name, ServiceName: "qwen-code", System: "qwen",
			StreamIDs: true, CallIDs: true, TotalsOfAgents: true,
		},
		new: func() decode.Parser { return qwen.New() }, detect: qwen.Detect,
		keeps: qwenKeeps,
	},
	{
		Info: Info{
			Name: claude.Name, ServiceName: "claude-code", System: "anthropic",
			TotalsOfAgents: true,
		},
		new: func() decode.Parser { return claude.New() }, detect: claude.Detect,
		group: claude.Group, keeps: claudeKeeps,
	},
	{
		Info: Info{
			Name: gemini.Name, ServiceName: "gemini-cli", System: "gcp.gemini",
			Folders: true, StreamIDs: true, CallIDs: true, TotalsOfAgents: true,
		},
		new: func() decode.Parser { return gemini.New() }, detect: gemini.Detect,
		parentSession: gemini.ParentSession, keeps: geminiKeeps,
	},
	{
		Info: Info{
			Name: openai.Name, ServiceName: "openai-compatible", System: "openai",
			Bodies: true,
		},
		new: func() decode.Parser { return openai.New() }, detect: openai.Detect,
	},
	{
		Info: Info{
			Name: opencode.Name, ServiceName: "opencode",
			OwnMessageIDs: true, UsageAfterCalls: true,
		},
		new: func() decode.Parser { return opencode.New() }, detect: opencode.Detect,
		keeps: opencodeKeeps,
	},
	{
		Info: Info{
			Name: codex.Name, ServiceName: "codex", System: "openai",
			StreamIDs: true,
		},
		new: func() decode.Parser { return codex.New() }, detect: codex.Detect,
		keeps: codexKeeps,
	},
}

// Names returns the names that New accepts: the providers, then "auto" and "none".
func Names() []string {
	names := make([]string, 0, len(providers)+2)
	for _, p := range providers {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return append(names, Auto, None)
}

// New returns a source for one stream of the named provider, or of "auto" or "none".
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

// InfoOf describes a provider. For "none" and unknown names only the name "none" is set.
func InfoOf(name string) Info {
	for _, p := range providers {
		if p.Name == name {
			return p.Info
		}
	}
	return Info{Name: None}
}

// ParentSession returns the session to which the sub-agent's transcript at path belongs, if the provider's folders
// name it, or "".
func ParentSession(provider, path string) string {
	for _, p := range providers {
		if p.Name == provider && p.parentSession != nil {
			return p.parentSession(path)
		}
	}
	return ""
}

// Group returns the ID shared by several sub-agents, one of which wrote the transcript at path, if the provider's
// folders name it, or "". The call that started them has the same ID as the call of its agent.
func Group(provider, path string) string {
	for _, p := range providers {
		if p.Name == provider && p.group != nil {
			return p.group(path)
		}
	}
	return ""
}

// Detect determines the provider from the first lines of a stream.
func Detect(lines [][]byte) (name string, ok bool) {
	for _, p := range providers {
		if p.detect(lines) {
			return p.Name, true
		}
	}
	return "", false
}

// newParser returns the parser of a provider that Detect returned.
func newParser(name string) decode.Parser {
	for _, p := range providers {
		if p.Name == name {
			return p.new()
		}
	}
	return nil
}
