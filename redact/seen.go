package redact

// seen holds the last IDs and names of a stream that contain no secret. Those of the session and the model are in every
// event, those of a message or a line in two or three consecutive ones. Searching them again would take longer than
// searching most texts.
type seen struct {
	session, turn, message, item, call, model, tool clean
}

// clean is a short text without a secret. It is a copy, since a substring would keep the whole string alive.
type clean struct {
	bytes [maxClean]byte
	n     int
}

// maxClean is the maximum length of a remembered text, in bytes: IDs and names are shorter.
const maxClean = 64

// is reports whether s is that text.
func (c *clean) is(s string) bool { return string(c.bytes[:c.n]) == s }

// note remembers s if count, the number of secrets in it, is 0.
func (c *clean) note(s string, count int) {
	if count == 0 && len(s) <= maxClean {
		c.n = copy(c.bytes[:], s)
	}
}
