package toolcall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/toolcall"
)

// shown returns the span of a call that succeeded.
func shown(c *toolcall.Call) otlp.Call {
	out := outcome.OfResult(&events.Tool{}, false)
	return c.Shown(otlp.Span{}, "claude-code", false, &out)
}

func TestExecutable(t *testing.T) {
	for _, tt := range []struct{ name, tool, command, want string }{
		{"plain", "Bash", "go test ./...", "go"},
		{"path", "bash", "/usr/bin/make -j 4", "make"},
		{"assignment", "exec_command", "CI=1 FOO=bar npm test", "npm"},
		{"quoted argument", "Bash", `grep -c "^func" calc.go`, "grep"},
		{"pipe", "Bash", "cat a | wc -l", ""},
		{"two", "Bash", "cd a && make", ""},
		{"builtin", "Bash", "echo done", ""},
		{"substitution", "Bash", "ls $(pwd)", ""},
		{"quoted command", "Bash", `"my tool" x`, ""},
		{"nothing", "Bash", "", ""},
		{"no shell", "Read", "go", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := toolcall.New(&events.Tool{Name: tt.tool, Target: tt.command}, 256)
			assert.Equal(t, tt.want, shown(&c).Executable)
		})
	}
}

func TestShown(t *testing.T) {
	for _, tt := range []struct {
		name       string
		tool       events.Tool
		agent      bool
		kind, what string
	}{
		{"built in", events.Tool{ID: "t1", Name: "Read", Target: "a.go"}, false, otlp.ToolKind("Read", "", false), otlp.ToolTypeFunction},
		{"of a server", events.Tool{Name: "search", Server: "docs"}, false, otlp.ToolKind("search", "docs", false), otlp.ToolTypeExtension},
		{"names its agent", events.Tool{Name: "Task", AgentType: "Explore"}, false, otlp.ToolKind("Task", "", true), otlp.ToolTypeFunction},
		{"its agent was seen", events.Tool{Name: "spawn"}, true, otlp.ToolKind("spawn", "", true), otlp.ToolTypeFunction},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := toolcall.New(&tt.tool, 256)
			out := outcome.WithoutResult(otlp.CloseReasonNoResult)
			span := c.Shown(otlp.Span{}, "claude-code", tt.agent, &out)
			assert.Equal(t, []string{tt.tool.ID, tt.tool.Name, tt.tool.Target, tt.kind, tt.what}, []string{span.CallID, span.Tool, span.Target, span.Kind, span.Type})
			assert.Equal(t, otlp.ErrorTypeNoResult, span.ErrorType)
		})
	}
}

// TestArguments checks that the span has the arguments until they are released.
func TestArguments(t *testing.T) {
	c := toolcall.New(&events.Tool{Name: "Read"}, 256)
	assert.Zero(t, c.Release())
	c.Hold("{}")
	c.MadeBelow("t0")
	span := shown(&c)
	assert.Equal(t, []string{"{}", "t0"}, []string{span.Arguments, span.ParentUnknown})
	assert.Equal(t, 2, c.Release())
	assert.Empty(t, shown(&c).Arguments)
}

// TestMeasure checks that a duration is measured only if both times have the same reliable source.
func TestMeasure(t *testing.T) {
	at := func(s int64, source clock.Source) clock.Moment {
		return clock.Moment{At: clock.InstantOf(time.Unix(s, 0)), Source: source}
	}
	for _, tt := range []struct {
		name   string
		result events.Tool
		at     clock.Moment
		want   time.Duration
	}{
		{"lines", events.Tool{}, at(5, clock.SourceLine), 2 * time.Second},
		{"another source", events.Tool{}, at(5, clock.SourceArrival), 0},
		{"before its call", events.Tool{}, at(1, clock.SourceLine), 0},
		{"measured by the provider", events.Tool{Duration: time.Minute}, at(5, clock.SourceLine), time.Minute},
		{"background", events.Tool{State: events.ToolStateBackground}, at(5, clock.SourceLine), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, start := toolcall.New(&events.Tool{Name: "Read"}, 256), at(3, clock.SourceLine)
			c.Span.Cover(&start)
			c.Measure(&tt.result, &tt.at)
			assert.Equal(t, tt.want, tt.result.Duration)
		})
	}
}

// TestDescribe checks that a result gets what it lacks from its call and keeps its own values.
func TestDescribe(t *testing.T) {
	c := toolcall.New(&events.Tool{Name: "Read", Target: "a.go", Server: "docs"}, 256)
	result := events.Tool{Name: "Write"}
	c.Describe(&result)
	assert.Equal(t, events.Tool{Name: "Write", Target: "a.go", Server: "docs"}, result)
}

func TestEarlyResult(t *testing.T) {
	early := toolcall.NewEarlyResult(&events.Tool{ID: "t1", Output: []byte("x"), Target: "a", Err: strings.Repeat("e", 2*otlp.ErrTextRunes)}, clock.Moment{}, true)
	assert.Nil(t, early.Tool.Output)
	assert.Empty(t, early.Tool.Target)
	assert.Equal(t, "t1", early.Tool.ID)
	assert.LessOrEqual(t, len([]rune(early.Tool.Err)), otlp.ErrTextRunes)
	assert.True(t, early.Abridged)
}
