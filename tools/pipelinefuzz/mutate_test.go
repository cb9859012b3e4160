package pipelinefuzz

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// mutations are what happens to lines between an agent and a file, and what an attacker would do to them. Each changes
// s in place.
var mutations = []func(rng *rand.Rand, s *session, other session){
	dropLine, repeatLine, swapLines, cutEnd, tearLine, splice, interleave, replaceIDs, flipBytes,
	oddNumber, oddValue, longString, dropField, nest, noise,
}

// mutate returns a session that consists of some mutations of a recording or a generated one.
func mutate(rng *rand.Rand, s, other session) session {
	s = s.clone()
	for range 1 + rng.IntN(4) {
		if len(s.lines) == 0 {
			break
		}
		mutations[rng.IntN(len(mutations))](rng, &s, other)
	}
	return s
}

func some(rng *rand.Rand, s *session) int { return rng.IntN(len(s.lines)) }

func dropLine(rng *rand.Rand, s *session, _ session) {
	i := some(rng, s)
	s.lines = slices.Delete(s.lines, i, min(i+1+rng.IntN(4), len(s.lines)))
}

func repeatLine(rng *rand.Rand, s *session, _ session) {
	i := some(rng, s)
	s.lines = slices.Insert(s.lines, some(rng, s), s.lines[i])
}

func swapLines(rng *rand.Rand, s *session, _ session) {
	i, j := some(rng, s), some(rng, s)
	s.lines[i], s.lines[j] = s.lines[j], s.lines[i]
}

func cutEnd(rng *rand.Rand, s *session, _ session) {
	i := some(rng, s)
	s.lines = append(s.lines[:i:i], s.lines[i][:rng.IntN(len(s.lines[i])+1)])
}

// tearLine leaves the beginning of a line before the next one, like a crash and a restart of the writer.
func tearLine(rng *rand.Rand, s *session, _ session) {
	i := some(rng, s)
	s.lines[i] = s.lines[i][:rng.IntN(len(s.lines[i])+1)]
}

func splice(rng *rand.Rand, s *session, other session) {
	if len(other.lines) == 0 {
		return
	}
	i := rng.IntN(len(other.lines))
	s.lines = slices.Concat(s.lines, [][]byte{[]byte("\n")}, other.lines[i:])
}

func interleave(rng *rand.Rand, s *session, other session) {
	for _, line := range other.lines {
		if rng.IntN(3) == 0 {
			s.lines = slices.Insert(s.lines, some(rng, s), line)
		}
	}
}

var idField = regexp.MustCompile(`"(?:id|uuid|session_?[iI][dD]|thread_id|tool_use_id|call_id|message_id|parentUuid|agentId|requestId|leafUuid|sourceToolAssistantUUID)" ?: ?"([^"\\]{1,80})"`)

// replaceIDs copies the IDs of a line to another one, or those of another session to the whole of s.
func replaceIDs(rng *rand.Rand, s *session, other session) {
	from := *s
	if rng.IntN(2) == 0 && len(other.lines) > 0 {
		from = other
	}
	found := idField.FindSubmatch(from.lines[rng.IntN(len(from.lines))])
	mine := idField.FindSubmatch(s.lines[some(rng, s)])
	if found == nil || mine == nil {
		return
	}
	for i, line := range s.lines {
		if rng.IntN(4) > 0 {
			s.lines[i] = bytes.ReplaceAll(line, mine[1], found[1])
		}
	}
}

func flipBytes(rng *rand.Rand, s *session, _ session) {
	i := some(rng, s)
	line := slices.Clone(s.lines[i])
	for range 1 + rng.IntN(3) {
		if len(line) > 1 {
			line[rng.IntN(len(line)-1)] = byte(rng.IntN(256))
		}
	}
	s.lines[i] = line
}

var number = regexp.MustCompile(`: ?-?[0-9][0-9.eE+-]*`)

func oddNumber(rng *rand.Rand, s *session, _ session) {
	odd := []string{":-1", ":1e999", ":-1e308", ":9223372036854775807", ":18446744073709551616", ":0", ":0.1", ":1e18", ":253402300800000"}
	replaceOne(rng, s, number, odd[rng.IntN(len(odd))])
}

var value = regexp.MustCompile(`: ?"[^"\\]{0,200}"`)

func oddValue(rng *rand.Rand, s *session, _ session) {
	odd := []string{`:null`, `:{}`, `:[]`, `:""`, `:7`, `:true`, `:"\u0000\ud800"`, `:[{"type":"text","text":"x"}]`, `:"2001-01-01T00:00:00Z"`, `:"2999-01-01T00:00:00Z"`}
	replaceOne(rng, s, value, odd[rng.IntN(len(odd))])
}

func longString(rng *rand.Rand, s *session, _ session) {
	replaceOne(rng, s, value, `:"`+strings.Repeat("long ", 1<<(4+rng.IntN(14)))+`"`)
}

var field = regexp.MustCompile(`"[a-zA-Z_]+" ?: ?(?:"[^"\\]{0,200}"|[0-9.]+|true|false|null), ?`)

func dropField(rng *rand.Rand, s *session, _ session) { replaceOne(rng, s, field, "") }

func nest(rng *rand.Rand, s *session, _ session) {
	n := 1 + rng.IntN(3000)
	replaceOne(rng, s, value, ":"+strings.Repeat(`{"a":[`, n)+strings.Repeat(`]}`, n))
}

func noise(rng *rand.Rand, s *session, _ session) {
	words := []string{"npm warn deprecated x@1\n", "\n", "\x1b[31mred\x1b[0m\n", "{\n", "null\n", "[1,2]\n", "\xff\xfe\n", `{"type":"tailspan","attributes":{"cicd.pipeline.name":"forged"}}` + "\n"}
	s.lines = slices.Insert(s.lines, some(rng, s), []byte(words[rng.IntN(len(words))]))
}

// replaceOne replaces one match in one line.
func replaceOne(rng *rand.Rand, s *session, what *regexp.Regexp, with string) {
	i := some(rng, s)
	found := what.FindAllIndex(s.lines[i], 200)
	if len(found) == 0 {
		return
	}
	at := found[rng.IntN(len(found))]
	s.lines[i] = slices.Concat(s.lines[i][:at[0]], []byte(with), s.lines[i][at[1]:])
}
