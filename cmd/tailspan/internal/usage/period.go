package usage

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Period is a range of time. A zero time means no bound; End is exclusive.
type Period struct{ Begin, End time.Time }

// ParsePeriod parses the bounds of a period: a day, inclusive (2026-11-27), a time (RFC 3339), or a number of hours, days or
// weeks before now (12h, 7d, 4w). An empty text means no bound.
func ParsePeriod(since, until string, now time.Time) (p Period, err error) {
	if p.Begin, _, err = parseBound(since, now); err != nil {
		return p, fmt.Errorf("--since: %w", err)
	}
	end, isDay, err := parseBound(until, now)
	if err != nil {
		return p, fmt.Errorf("--until: %w", err)
	}
	if isDay {
		end = end.AddDate(0, 0, 1)
	}
	if p.End = end; !p.End.IsZero() && !p.Begin.Before(p.End) {
		return p, fmt.Errorf("--until %s is before --since %s", until, since)
	}
	return p, nil
}

func parseBound(text string, now time.Time) (t time.Time, isDay bool, err error) {
	if text == "" {
		return t, false, nil
	}
	if t, err = time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, true, nil
	}
	if t, err = time.Parse(time.RFC3339, text); err == nil {
		return t, false, nil
	}
	units := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	if unit := units[text[len(text)-1:]]; unit > 0 {
		if n, err := strconv.ParseUint(strings.TrimRight(text, "hdw"), 10, 16); err == nil {
			return now.Add(-time.Duration(n) * unit), false, nil
		}
	}
	return t, false, fmt.Errorf("%q is not a day (2026-11-27), a time (2026-11-27T08:00:00Z) or an age (12h, 7d, 4w)", text)
}

// contains reports whether a time, which may be unknown, is in the period.
func (p Period) contains(t time.Time) bool {
	return !t.Before(p.Begin) && (p.End.IsZero() || t.Before(p.End))
}
