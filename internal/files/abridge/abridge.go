package abridge

// Limits, in bytes.
const (
	// SoftLimit is the output length from which elements are dropped, and HardLimit the one from which everything is.
	SoftLimit = 48 << 10
	HardLimit = 64 << 10
	// KeepString is how many bytes of a string are kept, and KeepShort how many after SoftLimit.
	KeepString = 4 << 10
	KeepShort  = 256
)

// softDepth is how deep objects are kept after SoftLimit; maxDepth is how deep anything is kept.
const (
	softDepth = 4
	maxDepth  = 64
)

// state is the parser's state outside of strings and of dropped values.
//
//	from      on                    to
//	start     { or [                key or value, a level deeper
//	key       a string              colon
//	key       }                     next, a level higher
//	colon     :                     value
//	value     { or [                key or value, a level deeper
//	value     a string or scalar    next
//	value     ]                     next, a level higher
//	next      , in an object        key
//	next      , in an array         value
//	next      } or ]                next, a level higher; start at the outermost
//	any       anything else         broken
type state uint8

const (
	stateStart state = iota
	stateKey
	stateColon
	stateValue
	stateScalar
	stateNext
	stateBroken
)

// Abridger shortens one line after another. The zero value is ready to use.
type Abridger struct {
	out    []byte
	state  state
	depth  int
	object uint64 // one bit per level, innermost lowest: set for an object
	filled uint64 // one bit per level: set if it has a member
	begun  bool
	// member is where the current member or element begins in out, including its comma.
	member int
	text   text
	// dropped is the nesting depth inside a dropped value; 0: outside of one.
	dropped int
	// scalar is true if the current scalar is kept.
	scalar bool
}

// text is the current string.
type text struct {
	open   bool
	key    bool
	keep   int // how many more bytes are kept; negative: the string is dropped
	over   int // how many bytes were kept beyond that to complete a character
	cut    bool
	escape uint8 // progress of an escape: see [Abridger.string]
}

// Reset starts a new line.
func (a *Abridger) Reset() { *a = Abridger{out: a.out[:0]} }

// Line returns the short line. It returns false if the long one is not an object or array, or has not ended. The result is
// valid until Reset or Write.
func (a *Abridger) Line() ([]byte, bool) {
	return a.out, a.state == stateStart && a.begun && !a.text.open && a.dropped == 0
}

// Write adds the next piece of the line.
func (a *Abridger) Write(piece []byte) {
	for i := 0; i < len(piece) && a.state != stateBroken; {
		switch {
		case a.text.open:
			i += a.string(piece[i:])
		case a.dropped > 0:
			i += a.skip(piece[i:])
		default:
			a.byte(piece[i])
			i++
		}
	}
}

// byte handles one byte outside of strings and of dropped values.
func (a *Abridger) byte(c byte) {
	if c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0 {
		if a.state == stateScalar {
			a.state = stateNext
		}
		return
	}
	switch a.state {
	case stateStart:
		a.start(c)
	case stateKey:
		a.key(c)
	case stateColon:
		if c != ':' {
			a.state = stateBroken
			return
		}
		a.out, a.state = append(a.out, c), stateValue
	case stateValue:
		a.value(c)
	case stateScalar:
		if c != ',' && c != '}' && c != ']' {
			a.addScalar(c)
			return
		}
		a.state = stateNext
		a.next(c)
	case stateNext:
		a.next(c)
	}
}

// dataField may precede an object, as in a stream of server-sent events.
const dataField = "data:"

func (a *Abridger) start(c byte) {
	switch {
	case (c == '{' || c == '[') && len(a.out) >= HardLimit:
		a.dropped = 1
	case c == '{' || c == '[':
		a.begun = true
		a.open(c)
	case !a.begun && len(a.out) < len(dataField) && c == dataField[len(a.out)]:
		a.out = append(a.out, c)
	default:
		a.state = stateBroken
	}
}

func (a *Abridger) key(c byte) {
	switch c {
	case '"':
		a.begin()
		a.text = text{open: true, key: true, keep: KeepShort}
		a.out = append(a.out, '"')
	case '}':
		a.close(c)
	default:
		a.state = stateBroken
	}
}

// begin records where a member or element begins, and separates it from the previous one.
func (a *Abridger) begin() {
	a.member = len(a.out)
	if a.filled&1 != 0 {
		a.out = append(a.out, ',')
	}
	a.filled |= 1
}

// value handles the first byte of a value.
func (a *Abridger) value(c byte) {
	element := a.object&1 == 0
	if c == ']' {
		if !element {
			a.state = stateBroken
			return
		}
		a.close(c)
		return
	}
	before := a.filled
	if element {
		a.begin()
	}
	soft, hard := len(a.out) >= SoftLimit, len(a.out) >= HardLimit
	leave := hard || soft && (element || a.depth > softDepth)
	switch c {
	case '{', '[':
		if leave || a.depth >= maxDepth || soft && (c == '[' || a.depth >= softDepth) {
			a.undo(before, element)
			a.dropped, a.state = 1, stateNext
			return
		}
		a.open(c)
	case '"':
		a.text = text{open: true, keep: KeepString}
		if soft {
			a.text.keep = KeepShort
		}
		if leave {
			a.undo(before, element)
			a.text.keep = -1
		} else {
			a.out = append(a.out, '"')
		}
	default:
		a.state, a.scalar = stateScalar, !leave
		if leave {
			a.undo(before, element)
		}
		a.addScalar(c)
	}
}

// undo removes the current member or element. The key of a member was written before its value was known, so the preceding
// byte shows whether the object has other members.
func (a *Abridger) undo(before uint64, element bool) {
	a.out = a.out[:a.member]
	if element {
		a.filled = before
	} else if last := a.out[len(a.out)-1]; last == '{' {
		a.filled &^= 1
	}
}

// maxScalar is the length up to which a scalar is kept; no meaningful number is longer.
const maxScalar = 64

func (a *Abridger) addScalar(c byte) {
	if a.scalar && len(a.out)-a.member < KeepShort+maxScalar+len(`,"":`) {
		a.out = append(a.out, c)
	}
}

// next handles the byte after a value.
func (a *Abridger) next(c byte) {
	switch {
	case c == ',' && a.object&1 != 0:
		a.state = stateKey
	case c == ',':
		a.state = stateValue
	case c == '}' || c == ']':
		a.close(c)
	default:
		a.state = stateBroken
	}
}

// open begins an object or array that is kept.
func (a *Abridger) open(c byte) {
	a.out = append(a.out, c)
	a.depth++
	a.object, a.filled = a.object<<1, a.filled<<1
	a.state = stateValue
	if c == '{' {
		a.object |= 1
		a.state = stateKey
	}
}

func (a *Abridger) close(c byte) {
	if (c == '}') != (a.object&1 != 0) {
		a.state = stateBroken
		return
	}
	a.out = append(a.out, c)
	a.object, a.filled = a.object>>1, a.filled>>1
	a.state = stateNext
	if a.depth--; a.depth == 0 {
		a.state = stateStart
	}
}
