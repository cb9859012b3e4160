package clock_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/session/clock"
)

// noon is when the lines of these tests were written.
var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func moment(seconds int, source clock.Source) clock.Moment {
	return clock.Moment{At: clock.InstantOf(at(seconds)), Source: source}
}

func TestClock(t *testing.T) {
	type line struct {
		clock.Line
		own time.Time
	}
	live := func(seconds int, own time.Time) line {
		return line{clock.Line{Arrival: clock.InstantOf(at(seconds)), Live: true}, own}
	}
	read := func(own time.Time) line { return line{own: own} }
	for _, tc := range []struct {
		name   string
		file   time.Time
		lines  []line
		want   clock.Moment // of the last line
		before clock.Change // by the last line
	}{
		{
			name: "own time", lines: []line{read(at(1)), read(at(5))},
			want: moment(5, clock.SourceLine),
		},
		{
			name: "first time dates what is pending", lines: []line{read(time.Time{}), read(at(5))},
			want: moment(5, clock.SourceLine), before: clock.Change{Pending: ahead(5)},
		},
		{
			name: "carried", lines: []line{read(at(5)), read(time.Time{})},
			want: moment(5, clock.SourceCarried),
		},
		{
			name: "time at which no agent ran", lines: []line{read(at(5)), read(time.Unix(5, 0))},
			want: moment(5, clock.SourceCarried),
		},
		{name: "unknown", lines: []line{read(time.Time{})}},
		{
			name: "arrival", lines: []line{live(7, time.Time{})},
			want: moment(7, clock.SourceArrival), before: clock.Change{Pending: moment(7, clock.SourceArrival)},
		},
		{
			name: "played back", lines: []line{live(3600, time.Time{}), live(3601, at(1))},
			want: moment(1, clock.SourceLine), before: clock.Change{Pending: ahead(1), Open: true},
		},
		{
			name: "live", lines: []line{live(1, time.Time{}), live(2, at(1))},
			want: clock.Moment{At: clock.InstantOf(at(1)), Source: clock.SourceLine, Lived: true}, before: clock.Change{Pending: ahead(1)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := clock.New(clock.InstantOf(tc.file))
			var got clock.Moment
			var before clock.Change
			for _, l := range tc.lines {
				c.Begin(l.Line)
				got, before = c.Of(l.own)
			}
			got.Lived = got.Lived && tc.want.Lived
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.before, before)
		})
	}
}

// ahead returns the time of a later line.
func ahead(seconds int) clock.Moment {
	m := moment(seconds, clock.SourceCarried)
	m.Ahead = true
	return m
}

// TestClockAfterARestart checks that a replayed line without a time has the arrival of its first reading.
func TestClockAfterARestart(t *testing.T) {
	first := clock.New(0)
	first.Begin(clock.Line{Offset: 0, Arrival: clock.InstantOf(at(1)), Live: true})
	first.Begin(clock.Line{Offset: 90, Arrival: clock.InstantOf(at(9)), Live: true})
	second := clock.New(clock.InstantOf(at(99)))
	second.Restore(first.State())
	second.Begin(clock.Line{Offset: 90, Replay: true})
	got, _ := second.Of(time.Time{})
	assert.Equal(t, moment(9, clock.SourceArrival), got)
}

func TestClockGaps(t *testing.T) {
	c := clock.New(0)
	c.Begin(clock.Line{})
	earlier, _ := c.Of(at(0))
	assert.False(t, c.GapBefore(earlier, time.Minute), "nothing before it")
	c.Passed(earlier)
	later, _ := c.Of(at(60))
	assert.True(t, c.GapBefore(later, time.Minute))
	assert.False(t, c.GapBefore(later, time.Hour))
	assert.False(t, c.GapBefore(later, 0), "no bound")
	c.NewRun()
	assert.False(t, c.GapBefore(later, time.Minute), "nothing before it in its run")
}

func TestCourse(t *testing.T) {
	line := func(s int) clock.Moment { return moment(s, clock.SourceLine) }
	carried := func(s int) clock.Moment { return moment(s, clock.SourceCarried) }
	type step struct {
		name  string
		at    clock.Moment
		floor clock.Floor
		want  int
		moved bool
	}
	for name, steps := range map[string][]step{
		"set back": {
			{"before", line(100), clock.Floor{}, 100, false},
			{"after", line(-7100), clock.Floor{After: line(100)}, 100, true},
			{"distances are kept", line(-7090), clock.Floor{After: line(100)}, 110, true},
			{"without a time of its own", carried(-7090), clock.Floor{After: line(100)}, 110, true},
			{"a long call that is listed later", line(105), clock.Floor{After: line(90)}, 105, false},
			{"its end, after the change", line(-7080), clock.Floor{After: line(105)}, 125, true},
			{"once more", line(-20000), clock.Floor{After: line(110)}, 125, true},
		},
		"set back twice": {
			{"before", line(1000), clock.Floor{}, 1000, false},
			{"after", line(-7000), clock.Floor{After: line(1000)}, 1000, true},
			{"once more", line(-14000), clock.Floor{After: line(1000)}, 1000, true},
			{"distances are kept", line(-13990), clock.Floor{After: line(1000)}, 1010, true},
			{"from between the changes", line(-6995), clock.Floor{After: line(1000)}, 1005, true},
			{"from before them", line(1002), clock.Floor{After: line(900)}, 1002, false},
			{"after both", line(-13980), clock.Floor{After: line(1002)}, 1025, true},
		},
		"reported duration": {
			{"call", line(100), clock.Floor{}, 100, false},
			{"result", line(-7000), clock.Floor{After: line(100), Ends: clock.InstantOf(at(130))}, 130, true},
			{"answer", line(-6999), clock.Floor{After: line(100)}, 131, true},
		},
		"out of order": {
			{"result", line(600), clock.Floor{}, 600, false},
			{"a call that began before", line(10), clock.Floor{After: line(0)}, 10, false},
			{"slightly before its floor", line(590), clock.Floor{After: line(600)}, 590, false},
			{"before a guessed time", line(10), clock.Floor{After: moment(600, clock.SourceArrival)}, 10, false},
		},
		"sub-agent in another stream": {
			{"after the change", line(-7000), clock.Floor{Run: clock.SetBack{By: 7150 * time.Second, Last: clock.InstantOf(at(120))}}, 150, true},
			{"before it", line(130), clock.Floor{After: line(100)}, 130, false},
		},
		"sub-agent after the first of two changes": {
			{"begins", line(-7000), clock.Floor{Run: clock.SetBack{
				By: 14000 * time.Second, Last: clock.InstantOf(at(300)), Before: &clock.SetBack{By: 7150 * time.Second, Last: clock.InstantOf(at(120))},
			}}, 150, true},
			{"saw the second", line(-13800), clock.Floor{After: line(150), Run: clock.SetBack{By: 14000 * time.Second, Last: clock.InstantOf(at(300))}}, 150, true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c clock.Course
			c.Begin(clock.InstantOf(at(0)))
			for _, s := range steps {
				assert.False(t, s.moved && c.Straight(s.at), s.name)
				got := c.Fit(s.at, s.floor)
				assert.Equal(t, s.want, int(got.At.Sub(clock.InstantOf(noon))/time.Second), s.name)
				assert.Equal(t, s.moved, got.Clamped, s.name)
			}
		})
	}
}

func TestIntervals(t *testing.T) {
	var i clock.Interval
	for _, s := range []int{5, 3, 9} {
		m := moment(s, clock.SourceLine)
		i.Cover(&m)
	}
	assert.Equal(t, clock.Interval{Start: moment(3, clock.SourceLine), End: moment(9, clock.SourceLine)}, i)
	inside := clock.Interval{Start: moment(1, clock.SourceLine), End: moment(4, clock.SourceLine)}
	assert.False(t, i.Contains(inside))
	assert.True(t, inside.ClampInto(i))
	assert.Equal(t, clock.Interval{Start: moment(3, clock.SourceLine), End: moment(4, clock.SourceLine)}, inside)
	assert.Equal(t, 4*time.Second, i.Lasts(2*time.Second), "what it waited")
	assert.Equal(t, moment(7, clock.SourceLine), i.Start)
}

// Users look up the sources in the documentation.
func TestSourcesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/telemetry.md")
	require.NoError(t, err)
	assert.Empty(t, clock.SourceLine.String(), "nearly all times are those of lines, and not marked")
	last := clock.SourceLine
	for source := last + 1; source.String() != ""; source++ {
		last = source
		assert.True(t, strings.Contains(string(page), "`"+source.String()+"`"), "docs/telemetry.md has no %s", source) //nolint:testifylint // Contains would print it
	}
	assert.Equal(t, clock.SourceFile, last)
}
