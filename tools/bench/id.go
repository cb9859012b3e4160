package main

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// idPrefixes are the prefixes of IDs of sessions, messages, requests, calls and parts in the formats of Claude Code,
// Codex and OpenCode.
var idPrefixes = []string{"msg", "toolu", "req", "call", "prt", "ses", "fc", "rs", "retained"}

// isID reports whether a word is unique across sessions: UUIDs and other long hexadecimal numbers, IDs with a prefix, and IDs
// of Gemini CLI's calls, which consist of the tool's name, twice, a time and a count. IDs that Codex counts from 0 in each
// stream (item_0) are not unique.
func isID(word string) bool {
	if len(word) < 10 {
		return false
	}
	if isUUID(word) || len(word) >= 32 && len(word) <= 64 && consistsOf(word, isHexByte) {
		return true
	}
	if start := geminiTime(word); start > 0 {
		return true
	}
	prefix, rest, found := strings.Cut(word, "_")
	return found && slices.Contains(idPrefixes, prefix) && (isUUID(rest) || len(rest) >= 8 && consistsOf(rest, isAlphanumeric))
}

// rename returns an ID of the same form: after its prefix each digit becomes a digit, and each letter one of the same kind,
// so that hexadecimal numbers stay hexadecimal. The result depends only on the ID after its prefix and on the repetition.
func rename(id string, repetition uint64) string {
	start := geminiTime(id)
	if start == 0 {
		start = strings.IndexByte(id, '_') + 1
	}
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, id[start:]) // writing to a hash never fails
	rng := rand.NewPCG(hash.Sum64(), repetition)
	b := []byte(id)
	for i, c := range b[start:] {
		b[start+i] = exchange(c, rng.Uint64())
	}
	return string(b)
}

// exchange returns a character of the same kind.
func exchange(c byte, random uint64) byte {
	for _, kind := range [...]struct{ first, last byte }{{'0', '9'}, {'a', 'f'}, {'g', 'z'}, {'A', 'Z'}} {
		if kind.first <= c && c <= kind.last {
			return kind.first + byte(random%uint64(kind.last-kind.first+1))
		}
	}
	return c
}

// geminiTime returns the offset of the time in the ID of a Gemini CLI call, or 0 if it is not one.
func geminiTime(word string) int {
	if !strings.Contains(word, "__") {
		return 0
	}
	rest, count, _ := cutLast(word, '_')
	_, time, at := cutLast(rest, '_')
	if len(time) != len("1795813335503") || !consistsOf(time+count, isDigit) {
		return 0
	}
	return at
}

// cutLast returns the parts before and after the last separator, and the offset of the latter part.
func cutLast(s string, separator byte) (before, after string, at int) {
	i := strings.LastIndexByte(s, separator)
	return s[:max(i, 0)], s[i+1:], i + 1
}

func isUUID(s string) bool {
	if len(s) != len("00000000-0000-0000-0000-000000000000") {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHexByte(s[i]) {
			return false
		}
	}
	return true
}

func consistsOf(s string, kind func(byte) bool) bool {
	for i := range len(s) {
		if !kind(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool        { return '0' <= c && c <= '9' }
func isHexByte(c byte) bool      { return isDigit(c) || 'a' <= c && c <= 'f' }
func isAlphanumeric(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isWordByte(c byte) bool     { return isAlphanumeric(c) || c == '_' || c == '-' }
