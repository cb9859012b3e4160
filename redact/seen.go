package redact

// seen are the ids and names of the last events of a stream without a secret. Those of the session and the model are in
// every event, those of a message and of a line in two or three in a row, and searching them again would take longer than
// searching most texts.
type seen struct {
	session, turn, message, item, call, model, tool clean
}

// clean is a short text without a secret. It is a copy: a string would keep the memory alive that it is cut from.
type clean struct {
	bytes [maxClean]byte
	n     int
}

// maxClean is the longest text that is remembered, in bytes: ids and names are shorter.
const maxClean = 64

// is reports whether s is that text.
func (c *clean) is(s string) bool { return string(c.bytes[:c.n]) == s }

// note remembers a text in which count secrets were found.
func (c *clean) note(s string, count int) {
	if count == 0 && len(s) <= maxClean {
		c.n = copy(c.bytes[:], s)
	}
}
