package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// stamped matches what a [Stamp] replaces: the first group is a time in RFC 3339, the second a time in milliseconds, the
// third a UUID, the fourth and fifth the prefix of an ID and the rest of it.
var stamped = regexp.MustCompile(`(\b20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z)` +
	`|\b(1[6-9]\d{11})\b` +
	`|\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b` +
	`|\b((?:msg|toolu|req|call|resp|ses|prt|fc|rs|ws|gen|run)_|chatcmpl-)([A-Za-z0-9]{5,})\b`)

// Stamp says how to change a recording.
type Stamp struct {
	// Shift is added to every time.
	Shift time.Duration
	// Seed determines the new IDs: the same seed gives the same IDs. Without a seed, IDs stay.
	Seed string
}

// Apply returns text with its times and IDs replaced. The length of every ID and the precision of every time stay.
func (s Stamp) Apply(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	done := 0
	for _, at := range stamped.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[done:at[0]])
		out.WriteString(s.replace(text, at))
		done = at[1]
	}
	out.WriteString(text[done:])
	return out.String()
}

func (s Stamp) replace(text string, at []int) string {
	whole := text[at[0]:at[1]]
	switch {
	case at[2] >= 0:
		return s.moveText(whole)
	case at[4] >= 0:
		return s.moveMilliseconds(whole)
	case s.Seed == "":
		return whole
	case at[6] >= 0:
		return s.uuid(whole)
	default:
		prefix, id := text[at[8]:at[9]], text[at[10]:at[11]]
		kept := timeDigits(prefix, id)
		return prefix + s.moveID(prefix, id[:kept]) + s.id(id[kept:])
	}
}

// timeDigits returns how many digits at the beginning of an ID are a time, by which a format orders things and which some
// things have nowhere else: OpenCode's IDs have 12 hexadecimal digits of a time and 14 letters.
func timeDigits(prefix, id string) int {
	const digits, whole = 12, 26
	if len(id) != whole || prefix != "msg_" && prefix != "prt_" && prefix != "ses_" || strings.Trim(id[:digits], "0123456789abcdef") != "" {
		return 0
	}
	return digits
}

// moveID shifts the time in an ID: the low 48 bits of 4096 times the milliseconds since 1970, plus a counter. A session has
// the complement, so that the newest sorts first.
func (s Stamp) moveID(prefix, digits string) string {
	const bits, perMillisecond = 48, 1 << 12
	was, err := strconv.ParseInt(digits, 16, 64)
	if err != nil {
		return digits
	}
	shift := s.Shift.Milliseconds() * perMillisecond
	if prefix == "ses_" {
		shift = -shift
	}
	return fmt.Sprintf("%0*x", len(digits), (was+shift)&(1<<bits-1))
}

func (s Stamp) moveText(text string) string {
	was, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text // 31 February
	}
	layout := "2006-01-02T15:04:05"
	if _, fraction, ok := strings.Cut(text, "."); ok {
		layout += "." + strings.Repeat("0", len(fraction)-1)
	}
	return was.Add(s.Shift).Format(layout + "Z")
}

func (s Stamp) moveMilliseconds(text string) string {
	was, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return text
	}
	return strconv.FormatInt(was+s.Shift.Milliseconds(), 10)
}

// uuid returns a new UUID with the same version and variant, which some formats check.
func (s Stamp) uuid(was string) string {
	h := s.hash(was)
	digits := hex.EncodeToString(h[:])
	return digits[:8] + "-" + digits[8:12] + "-" + was[14:15] + digits[13:16] + "-" + was[19:20] + digits[17:20] + "-" + digits[20:32]
}

// id returns a new ID of the same length.
func (s Stamp) id(was string) string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijkmnpqrstvwxyz"
	h := s.hash(was)
	out := make([]byte, len(was))
	for i := range out {
		if i > 0 && i%len(h) == 0 {
			h = s.hash(hex.EncodeToString(h[:]))
		}
		out[i] = letters[int(h[i%len(h)])%len(letters)]
	}
	return string(out)
}

func (s Stamp) hash(was string) [sha256.Size]byte {
	return sha256.Sum256([]byte(s.Seed + "\x00" + was))
}

// Times returns the earliest and the latest time in text, or false if there is none.
func Times(text string) (first, last time.Time, ok bool) {
	for _, at := range stamped.FindAllStringSubmatchIndex(text, -1) {
		t, is := timeAt(text, at)
		if !is {
			continue
		}
		if !ok || t.Before(first) {
			first = t
		}
		if !ok || t.After(last) {
			last = t
		}
		ok = true
	}
	return first, last, ok
}

// asked returns the earliest time in the ID of a message in text, which OpenCode creates before it calls the model. It
// returns near if that is earlier or no ID has a time.
func asked(text string, near time.Time) time.Time {
	const perMillisecond, period = 1 << 12, 1 << 36 // milliseconds, of which an ID has the low digits
	first := near
	for _, at := range stamped.FindAllStringSubmatchIndex(text, -1) {
		if at[8] < 0 || text[at[8]:at[9]] != "msg_" {
			continue
		}
		id := text[at[10]:at[11]]
		low, err := strconv.ParseInt(id[:timeDigits("msg_", id)], 16, 64)
		if err != nil {
			continue // it has none
		}
		before := near.UnixMilli()%period - low/perMillisecond
		if made := near.Add(-time.Duration(before) * time.Millisecond); before > 0 && before < time.Hour.Milliseconds() && made.Before(first) {
			first = made
		}
	}
	return first
}

func timeAt(text string, at []int) (time.Time, bool) {
	switch {
	case at[2] >= 0:
		t, err := time.Parse(time.RFC3339Nano, text[at[0]:at[1]])
		return t, err == nil
	case at[4] >= 0:
		ms, err := strconv.ParseInt(text[at[0]:at[1]], 10, 64)
		return time.UnixMilli(ms), err == nil
	}
	return time.Time{}, false
}
