package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/session/emit"
)

// Dimension is a way to group usage.
type Dimension uint8

// The dimensions. The first three are periods in the time zone of the report; weeks follow ISO 8601.
const (
	Day Dimension = iota
	Week
	Month
	Project
	Session
	Model
	Agent
	Pipeline
	dimensions
)

var dimensionNames = [dimensions]string{"day", "week", "month", "project", "session", "model", "agent", "pipeline"}

func (d Dimension) String() string { return dimensionNames[d] }

// isTime reports whether rows are sorted by d rather than by tokens.
func (d Dimension) isTime() bool { return d <= Month }

// DimensionNames returns the names of all dimensions.
func DimensionNames() []string { return dimensionNames[:] }

// ParseDimensions parses names separated by commas.
func ParseDimensions(names string) (by []Dimension, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.Index(dimensionNames[:], strings.TrimSpace(name))
		if d := Dimension(i); i < 0 {
			return nil, fmt.Errorf("%q is not one of %s", name, strings.Join(dimensionNames[:], ", "))
		} else if slices.Contains(by, d) {
			return nil, fmt.Errorf("%q is listed twice", name)
		}
		by = append(by, Dimension(i))
	}
	return by, nil
}

// of returns the value of u in this dimension, or "" if it is unknown.
func (d Dimension) of(u *emit.Used, zone *time.Location) string {
	switch {
	case d.isTime() && u.Time.Unix() <= 0:
		return ""
	case d == Day:
		return u.Time.In(zone).Format(time.DateOnly)
	case d == Week:
		year, week := u.Time.In(zone).ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	case d == Month:
		return u.Time.In(zone).Format("2006-01")
	}
	return [dimensions]string{Project: u.Folder, Session: u.Session, Model: u.Model, Agent: u.Agent, Pipeline: u.Pipeline}[d]
}
