package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/telemetry"
)

// Dimension is one way to divide what was used.
type Dimension uint8

// The dimensions. The first three are times, of the zone of the report; weeks are those of ISO 8601.
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

// isTime reports whether rows are in order of d, and not of what they hold.
func (d Dimension) isTime() bool { return d <= Month }

// DimensionNames are those of all dimensions.
func DimensionNames() []string { return dimensionNames[:] }

// ParseDimensions reads names that commas separate.
func ParseDimensions(names string) (by []Dimension, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.Index(dimensionNames[:], strings.TrimSpace(name))
		if d := Dimension(i); i < 0 {
			return nil, fmt.Errorf("%q is none of %s", name, strings.Join(dimensionNames[:], ", "))
		} else if slices.Contains(by, d) {
			return nil, fmt.Errorf("%q comes twice", name)
		}
		by = append(by, Dimension(i))
	}
	return by, nil
}

// of is where a use belongs; empty if that is not known.
func (d Dimension) of(u *telemetry.Used, zone *time.Location) string {
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
