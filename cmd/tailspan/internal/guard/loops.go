package guard

import (
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
)

// DefaultLoopAfter is how many times a call must repeat with the same arguments and result to count as a loop.
const DefaultLoopAfter = 5

// Limits of what is remembered: results, and calls that wait for one.
const (
	maxResults = 4096
	maxWaiting = 1024
)

// Loops finds calls that repeat without progress: with the same arguments and the same result, and without a new result of any
// call in between. Running a test again after each edit is no loop.
type Loops struct {
	after   int
	seed    maphash.Seed
	waiting memory.Map[string, Loop]
	results memory.Map[uint64, repeats]
	news    int // new results
}

// Loop is a repeated call.
type Loop struct {
	Count     int
	Tool, Arg string
	hash      uint64 // of the call
}

// Text describes the loop in a line. If name is set, the line holds only what name returns for the tool's name.
func (l *Loop) Text(name func(string) string) string {
	call := l.Tool
	switch {
	case name != nil:
		call = name(call)
	case l.Arg != "":
		call += ": " + l.Arg
	}
	return fmt.Sprintf("the agent may be in a loop: %d times the same call with the same result: %s", l.Count, call)
}

// repeats counts how often a call had the same result since the last new result of any call, the first included.
type repeats struct{ since, count int }

// NewLoops returns a detector of calls that repeat a number of times; 0 turns it off.
func NewLoops(after int) *Loops {
	return &Loops{
		after: after, seed: maphash.MakeSeed(),
		waiting: memory.Map[string, Loop]{Limit: maxWaiting}, results: memory.Map[uint64, repeats]{Limit: maxResults},
	}
}

// See adds an event and returns the loop that it completes, or nil.
func (l *Loops) See(ev *events.DisplayEvent) *Loop {
	if l.after <= 0 || ev.Copied {
		return nil
	}
	t := &ev.Tool
	id := ev.ParentID + "\x00" + t.ID
	switch ev.Kind {
	case events.KindToolUse:
		l.waiting.Set(id, Loop{Tool: strings.Clone(t.Name), Arg: t.Arg(), hash: l.hash(t.Name, t.Target, string(t.Input))})
	case events.KindToolResult:
		if call, ok := l.waiting.Take(id); ok {
			return l.result(call, t)
		}
	}
	return nil
}

func (l *Loops) result(call Loop, t *events.Tool) *Loop {
	made, size, lines := strconv.FormatUint(call.hash, 16), strconv.Itoa(t.Size), strconv.Itoa(t.Lines)
	key := l.hash(made, t.Err, t.Summary, size, lines, strconv.Itoa(t.ExitCode), strconv.FormatBool(t.Error))
	r, known := l.results.Get(key)
	if !known {
		l.news++
		l.results.Set(key, repeats{since: l.news, count: 1})
		return nil
	}
	if r.since != l.news {
		r = repeats{since: l.news, count: 1}
	}
	r.count++
	l.results.Set(key, r)
	if call.Count = r.count; call.Count != l.after {
		return nil
	}
	return &call
}

func (l *Loops) hash(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	for _, part := range parts {
		_, _ = h.WriteString(part) // never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}
