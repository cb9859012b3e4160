package opencode

import (
	"strconv"
	"time"
)

// The ids of messages and parts that OpenCode makes (1.18.33) begin with the 48 lower bits of the time in milliseconds,
// shifted by 12 bits for a counter, in hexadecimal: msg_223bb1223001... The bits above repeat every two years.
const (
	idTimeDigits  = 12
	idCounterBits = 12
	idTimeSpan    = 1 << (4*idTimeDigits - idCounterBits) * time.Millisecond
)

// longestAnswer bounds how long before its first line a message can have been made. An id that says otherwise is of another
// program.
const longestAnswer = time.Hour

// madeAt is when the message of an id was made, which the model was asked for then; its first line comes with the answer.
// An id that does not show it gives the time of the line.
func madeAt(id string, line time.Time) time.Time {
	const prefix = len("msg_")
	if line.IsZero() || len(id) < prefix+idTimeDigits {
		return line
	}
	n, err := strconv.ParseUint(id[prefix:prefix+idTimeDigits], 16, 64)
	if err != nil {
		return line
	}
	const spanMillis = int64(idTimeSpan / time.Millisecond)
	before := (line.UnixMilli() - int64(n>>idCounterBits)) % spanMillis
	if before < 0 {
		before += spanMillis
	}
	if ago := time.Duration(before) * time.Millisecond; ago <= longestAnswer {
		return line.Add(-ago)
	}
	return line
}
