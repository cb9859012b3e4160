package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// place is where sessions may be.
type place struct {
	// name is the agent's, or the argument that names the place.
	name string
	// root is the folder or file that is there if anything is.
	root string
	// globs are the sessions.
	globs []string
	// trees: root may also be a folder of OpenCode's older storage.
	trees bool
}

// sessionNames match what sessions are called.
const sessionNames = "*.{json,jsonl}{,.gz,.zst}"

// agentPlaces are where the agents keep their sessions, unless their variables say otherwise (each agent's own: Claude
// Code 2.1, Codex 0.171, Gemini CLI 0.39, OpenCode 1.2, Qwen Code 0.5).
func agentPlaces(getenv func(string) string, home string) []place {
	in := func(variable string, folders ...string) string {
		return cmp.Or(getenv(variable), filepath.Join(append([]string{home}, folders...)...))
	}
	claude := filepath.Join(in("CLAUDE_CONFIG_DIR", ".claude"), "projects")
	codex := in("CODEX_HOME", ".codex")
	gemini := filepath.Join(cmp.Or(getenv("GEMINI_CLI_HOME"), home), ".gemini", "tmp")
	qwen := filepath.Join(home, ".qwen", "projects")
	opencode := filepath.Join(in("XDG_DATA_HOME", ".local", "share"), "opencode")
	database := filepath.Join(opencode, "opencode*.db")
	if own := getenv("OPENCODE_DB"); own != "" {
		database = own
	}
	return []place{
		{name: "claude", root: claude, globs: []string{filepath.Join(claude, "**", "*.jsonl")}},
		{name: "codex", root: codex, globs: []string{
			filepath.Join(codex, "sessions", "**", "*.jsonl"), filepath.Join(codex, "archived_sessions", "**", "*.jsonl"),
		}},
		{name: "gemini", root: gemini, globs: []string{filepath.Join(gemini, "*", "chats", "**", sessionNames)}},
		{name: "qwen", root: qwen, globs: []string{filepath.Join(qwen, "*", "chats", "**", "*.jsonl")}},
		{name: "opencode", root: opencode, globs: []string{database}, trees: true},
	}
}

// givenPlaces are those that arguments name: files, folders, globs.
func givenPlaces(args []string) []place {
	var all []place
	for _, arg := range args {
		p := place{name: arg, root: arg, globs: []string{arg}}
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			p.globs, p.trees = []string{filepath.Join(arg, "**", sessionNames), filepath.Join(arg, "**", "opencode*.db")}, true
		} else if err != nil && strings.ContainsAny(arg, `*?[{`) {
			p.root = "" // a glob: what it matches is there
		}
		all = append(all, p)
	}
	return all
}
