package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// LeastDuration is the shortest duration that is shown.
const LeastDuration = time.Millisecond / 2

// Short returns a duration at the precision that people need: "340ms", "4.1s", "1m02s", "3h05m".
func Short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute-50*time.Millisecond:
		return d.Round(time.Second / 10).String()
	case d < time.Hour-time.Second/2:
		s := int(d.Round(time.Second) / time.Second)
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	default:
		m := int(d.Round(time.Minute) / time.Minute)
		return fmt.Sprintf("%dh%02dm", m/60, m%60)
	}
}

// Coarse returns a duration in its largest unit: "4m", "47h", "3d".
func Coarse(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/day)
	}
}

// Ago returns how long ago something was: "just now", "4m ago".
func Ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return Coarse(d) + " ago"
}

// Count returns a number in short form: "950", "12.3k", "1.2M".
func Count(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
}

// Grouped returns a number with a comma before each group of three digits.
func Grouped(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

func grouped(s string) string {
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// USD returns an amount of US dollars in cents, or below a dollar in hundredths of a cent if there are any: "$14.02", "$0.52",
// "$0.0618". It marks an estimate: "~$0.52".
func USD(amount float64, estimated bool) string {
	digits := 2
	if amount < 0.99995 {
		digits = 4
	}
	if amount > 0 {
		amount = max(amount, 0.0001) // show every amount that is not zero
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(amount, 'f', digits, 64), ".")
	if digits == 4 {
		part = strings.TrimSuffix(part, "00")
	}
	mark := ""
	if estimated {
		mark = "~"
	}
	return mark + "$" + grouped(whole) + "." + part
}

// Tokens returns the tokens used: "137,604 in (134,397 cached), 631 out".
func Tokens(t *events.Tokens) string {
	cached := ""
	if t.CacheRead > 0 {
		cached = " (" + Grouped(t.CacheRead) + " cached)"
	}
	return Grouped(t.Input) + " in" + cached + ", " + Grouped(t.Output) + " out"
}

// Plural returns a number and a noun: "1 call", "3 calls".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
