package container

import (
	"bytes"
	"time"
)

// byteOrderMark begins the logs that GitHub offers for download.
var byteOrderMark = []byte("\xef\xbb\xbf")

// mayBeFramed is a quick check of the first bytes, which suffices for most lines.
func mayBeFramed(line []byte) bool {
	if len(line) < len(logKey) {
		return false
	}
	c := line[0]
	return c == '{' && line[1] == '"' && line[2] == 'l' || c >= '0' && c <= '9' || c == byteOrderMark[0]
}

// frame parses a line; it returns false if the line has no framing.
func (u *framed) frame(line []byte) (frame, bool) {
	if line[0] == '{' {
		return u.docker(line)
	}
	return timed(bytes.TrimPrefix(line, byteOrderMark))
}

const (
	shortestTime = len("2006-01-02T15:04:05Z")
	longestTime  = len("2006-01-02T15:04:05.000000000+00:00")
)

// timed parses a CRI line, or an object after a time.
func timed(line []byte) (frame, bool) {
	i := bytes.IndexByte(line[:min(len(line), longestTime+1)], ' ')
	if i < shortestTime || line[4] != '-' || line[10] != 'T' {
		return frame{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(line[:i]))
	if err != nil {
		return frame{}, false
	}
	rest := line[i+1:]
	f := frame{data: rest, time: at}
	switch {
	case bytes.HasPrefix(rest, []byte("stdout ")):
	case bytes.HasPrefix(rest, []byte("stderr ")):
		f.output = stderr
	default:
		return f, bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("{"))
	}
	tags, data, ok := bytes.Cut(rest[len("stdout "):], []byte(" "))
	if !ok { // an empty line may have lost its space
		data = nil
	}
	tag, _, _ := bytes.Cut(tags, []byte(":"))
	f.data, f.part = data, string(tag) == "P"
	return f, f.part || string(tag) == "F"
}

// Keys of Docker's lines, in the order written: log, stream, attrs if options ask for them, time.
var (
	logKey    = []byte(`{"log":`)
	streamKey = []byte(`"stream":`)
	timeKey   = []byte(`"time":`)
)

// docker parses a line of Docker's json-file driver.
func (u *framed) docker(line []byte) (frame, bool) {
	body, ok := bytes.CutPrefix(line, logKey)
	if !ok {
		return frame{}, false
	}
	body, rest, ok := cutString(body)
	if !ok {
		return frame{}, false
	}
	at := bytes.LastIndex(rest, timeKey)
	if at < 0 {
		return frame{}, false
	}
	timestamp, end, ok := cutString(rest[at+len(timeKey):])
	if !ok || string(bytes.TrimSpace(end)) != "}" {
		return frame{}, false
	}
	when, err := time.Parse(time.RFC3339Nano, string(timestamp))
	if err != nil {
		return frame{}, false
	}
	if cap(u.text) > keepBytes {
		u.text = nil
	}
	u.text = appendText(u.text[:0], body)
	f := frame{time: when}
	if _, after, ok := bytes.Cut(rest[:at], streamKey); ok {
		if name, _, _ := cutString(after); string(name) == "stderr" {
			f.output = stderr
		}
	}
	data, whole := bytes.CutSuffix(u.text, []byte("\n"))
	f.data, f.part = data, !whole
	return f, true
}
