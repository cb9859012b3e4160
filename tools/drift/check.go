package main

import (
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/doctable"
	"github.com/tailspan/tailspan/parser"
)

// check compares the names in one published type with one of our tables.
type check struct {
	pkg      string   // npm package
	file     string   // file of the package, without package/
	root     string   // the type
	path     []string // members that lead to the names; empty if the type itself is the names
	keys     bool     // the names are those of the type's members
	where    map[string]string
	version  bool // each name is followed by a schema version, ".1"
	bundle   bundle
	provider string
	headings []string // of the tables in docs/formats/<provider>.md
	line     string   // line of the format, with %q for the name; empty if the parser is not checked
}

var (
	typePath    = []string{"type"}
	subtypePath = []string{"subtype"}
	ofSystem    = map[string]string{"type": "system"}
)

const (
	claudeSDK   = "@anthropic-ai/claude-agent-sdk"
	codexSDK    = "@openai/codex-sdk"
	geminiCore  = "@google/gemini-cli-core"
	opencodeSDK = "@opencode-ai/sdk"
	qwenCLI     = "@qwen-code/qwen-code"

	opencodeOne = "dist/gen/types.gen.d.ts"
	opencodeTwo = "dist/v2/gen/types.gen.d.ts"
	partRow     = `{"table":"part","id":"prt_1","message_id":"msg_1","session_id":"ses_1","data":{"type":%q}}`
	busEvent    = `{"type":%q,"properties":{}}`
	eventRow    = `{"table":"event","id":"evt_1","type":%q,"data":{}}`
)

// checks returns what is compared: the unions of each package that name the types of lines, items, parts and messages.
func checks() []check {
	opencodeEvents := []string{"Events of the log"}
	qwenSubtypes := []string{"Subtypes of system", "Subtypes of user"}
	return []check{
		{
			pkg: claudeSDK, file: "sdk.d.ts", root: "SDKMessage", path: typePath,
			provider: "claude", headings: []string{"Records"}, line: `{"type":%q,"subtype":"init"}`,
		},
		{
			pkg: claudeSDK, file: "sdk.d.ts", root: "StdoutMessage", path: typePath,
			provider: "claude", headings: []string{"Records"}, line: `{"type":%q,"subtype":"init"}`,
		},
		{
			pkg: claudeSDK, file: "sdk.d.ts", root: "SDKMessage", path: subtypePath, where: ofSystem,
			provider: "claude", headings: []string{"Subtypes of system"}, line: `{"type":"system","subtype":%q}`,
		},

		{
			pkg: codexSDK, file: "dist/index.d.ts", root: "ThreadEvent", path: typePath,
			provider: "codex", headings: []string{"Stream: "}, line: `{"type":%q}`,
		},
		{
			pkg: codexSDK, file: "dist/index.d.ts", root: "ThreadItem", path: typePath,
			provider: "codex", headings: []string{"`type` (E2"}, line: `{"type":"item.completed","item":{"id":"item_1","type":%q}}`,
		},

		{
			pkg: geminiCore, file: "dist/src/output/types.d.ts", root: "JsonStreamEvent", path: typePath,
			provider: "gemini", headings: []string{"Stream: "}, line: `{"type":%q,"role":"user","content":"x","timestamp":"2026-01-01T00:00:00Z"}`,
		},
		{
			pkg: geminiCore, file: "dist/src/output/types.d.ts", root: "MessageEvent", path: []string{"role"},
			provider: "gemini", headings: []string{"`role` of a"},
		},
		{
			pkg: geminiCore, file: "dist/src/output/types.d.ts", root: "JsonOutput", keys: true,
			provider: "gemini", headings: []string{"One document"},
		},
		{
			pkg: geminiCore, file: "dist/src/services/chatRecordingTypes.d.ts", root: "ConversationRecordExtra", path: typePath,
			provider: "gemini", headings: []string{"`type` of a message"}, line: `{"id":"m","type":%q,"content":"x"}`,
		},
		{
			pkg: geminiCore, file: "dist/src/scheduler/types.d.ts", root: "CoreToolCallStatus",
			provider: "gemini", headings: []string{"`status` of a call"},
		},

		{
			pkg: opencodeSDK, file: opencodeOne, root: "Part", path: typePath,
			provider: "opencode", headings: []string{"Parts"}, line: partRow,
		},
		{
			pkg: opencodeSDK, file: opencodeTwo, root: "Part", path: typePath,
			provider: "opencode", headings: []string{"Parts"}, line: partRow,
		},
		{
			pkg: opencodeSDK, file: opencodeOne, root: "Message", path: []string{"role"},
			provider: "opencode", headings: []string{"Messages and sessions"},
		},
		{
			pkg: opencodeSDK, file: opencodeTwo, root: "Message", path: []string{"role"},
			provider: "opencode", headings: []string{"Messages and sessions"},
		},
		{
			pkg: opencodeSDK, file: opencodeOne, root: "Event", path: typePath,
			provider: "opencode", headings: opencodeEvents, line: busEvent,
		},
		{
			pkg: opencodeSDK, file: opencodeTwo, root: "Event", path: typePath,
			provider: "opencode", headings: opencodeEvents, line: busEvent,
		},
		{
			pkg: opencodeSDK, file: opencodeTwo, root: "GlobalEvent", path: []string{"payload", "syncEvent", "type"}, version: true,
			provider: "opencode", headings: opencodeEvents, line: eventRow,
		},

		{
			pkg: qwenCLI, bundle: bundle{set: "RECORD_TYPES"},
			provider: "qwen", headings: []string{"Records"}, line: `{"type":%q,"subtype":"init","sessionId":"s","uuid":"u"}`,
		},
		{pkg: qwenCLI, bundle: bundle{set: "KNOWN_RECORD_SUBTYPES"}, provider: "qwen", headings: qwenSubtypes},
		{
			pkg: qwenCLI, bundle: bundle{call: "emitSystemMessage"},
			provider: "qwen", headings: qwenSubtypes[:1], line: `{"type":"system","subtype":%q,"session_id":"s"}`,
		},
	}
}

// published returns the names in a package's file or bundle.
func (c *check) published(p *pack) ([]string, error) {
	if !c.bundle.empty() {
		names, err := c.bundle.names(p.files)
		if err != nil {
			return nil, fmt.Errorf("read bundle of %s %s: %w", p.name, p.version, err)
		}
		return names, nil
	}
	source, ok := p.files[c.file]
	if !ok {
		return nil, fmt.Errorf("read %s %s: no file %s", p.name, p.version, c.file)
	}
	d := declare(source)
	root := d[c.root]
	if root == nil {
		return nil, fmt.Errorf("read %s of %s: no type %s", c.file, c.pkg, c.root)
	}
	names := d.names(root, c.path, c.where)
	if c.keys {
		names = d.keys(root)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("read %s of %s: type %s names nothing", c.file, c.pkg, c.root)
	}
	if c.version {
		for i, name := range names {
			names[i] = strings.TrimRight(strings.TrimRight(name, "0123456789"), ".")
		}
	}
	return names, nil
}

// knowledge says who knows a name.
type knowledge struct{ docs, parser bool }

// known looks up a name in the tables and asks the parser.
func (c *check) known(page, name string) (k knowledge, err error) {
	for _, heading := range c.headings {
		table, err := doctable.Read(page, heading)
		if err != nil {
			return k, fmt.Errorf("read docs/formats/%s.md: %w", c.provider, err)
		}
		k.docs = k.docs || table.Has(name)
	}
	if c.line == "" {
		k.parser = k.docs // no line has only that name
		return k, nil
	}
	src, err := parser.New(c.provider)
	if err != nil {
		return k, err
	}
	src.ParseEvents(fmt.Appendf(nil, c.line, name))
	k.parser = src.LineStatus() != events.LineUnknownType
	return k, nil
}
