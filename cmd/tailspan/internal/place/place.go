// Package place knows where coding agents keep their sessions.
//
// [Agents] returns the default places of each agent, which the agent's variables may move; [Named] returns those that arguments
// name. Finding the files in them is left to others (tail.Find, doublestar).
package place

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Place is a location that may contain sessions.
type Place struct {
	// Name is the agent, or the argument that names the place.
	Name string
	// Root is the folder or file that exists if the place has sessions.
	Root string
	// Globs match the sessions.
	Globs []string
	// Trees reports whether Root may also be a folder of OpenCode's older storage.
	Trees bool
}

// sessionNames matches the file names of sessions.
const sessionNames = "*.{json,jsonl}{,.gz,.zst}"

// Home returns the home folder, which must be known if no arguments name places.
func Home(args []string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil && len(args) == 0 {
		return "", fmt.Errorf("find home folder: %w; name files or folders", err)
	}
	return home, nil
}

// Agents returns where the agents keep their sessions, with the variables of each agent applied (Claude Code 2.1, Codex 0.171,
// Gemini CLI 0.39, OpenCode 1.2, Qwen Code 0.5).
func Agents(getenv func(string) string, home string) []Place {
	in := func(variable string, folders ...string) string {
		return cmp.Or(getenv(variable), filepath.Join(append([]string{home}, folders...)...))
	}
	glob := func(root string, below ...string) string {
		return filepath.Join(append([]string{Escape(root)}, below...)...)
	}
	claude := filepath.Join(in("CLAUDE_CONFIG_DIR", ".claude"), "projects")
	codex := in("CODEX_HOME", ".codex")
	gemini := filepath.Join(cmp.Or(getenv("GEMINI_CLI_HOME"), home), ".gemini", "tmp")
	qwen := filepath.Join(home, ".qwen", "projects")
	opencode := filepath.Join(in("XDG_DATA_HOME", ".local", "share"), "opencode")
	database := glob(opencode, "opencode*.db")
	if own := getenv("OPENCODE_DB"); own != "" {
		database = Escape(own)
	}
	return []Place{
		{Name: "claude", Root: claude, Globs: []string{glob(claude, "**", "*.jsonl")}},
		{Name: "codex", Root: codex, Globs: []string{
			glob(codex, "sessions", "**", "*.jsonl"), glob(codex, "archived_sessions", "**", "*.jsonl"),
		}},
		{Name: "gemini", Root: gemini, Globs: []string{glob(gemini, "*", "chats", "**", sessionNames)}},
		{Name: "qwen", Root: qwen, Globs: []string{glob(qwen, "*", "chats", "**", "*.jsonl"), glob(qwen, "*", "subagents", "**", "*.jsonl")}},
		{Name: "opencode", Root: opencode, Globs: []string{database}, Trees: true},
	}
}

// Named returns the places that arguments name: files, folders, globs.
func Named(args []string) []Place {
	var all []Place
	for _, arg := range args {
		one := Escape(arg)
		p := Place{Name: arg, Root: arg, Globs: []string{one}}
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			p.Globs, p.Trees = []string{filepath.Join(one, "**", sessionNames), filepath.Join(one, "**", "opencode*.db")}, true
		} else if err != nil && strings.ContainsAny(arg, `*?[{`) {
			p.Root, p.Globs = "", []string{arg} // a glob: the files that it matches exist
		}
		all = append(all, p)
	}
	return all
}

// Escape returns a glob that matches only the given name. Where the backslash separates folders, only brackets can be escaped.
func Escape(name string) string {
	if filepath.Separator == '\\' {
		return strings.ReplaceAll(name, "[", "[[]")
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if strings.IndexByte(`\*?[]{}`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
