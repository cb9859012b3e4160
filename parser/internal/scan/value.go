package scan

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of values.
const (
	KindNone Kind = iota // no value: the zero Value, or the end of the input
	KindNull
	KindFalse
	KindTrue
	KindNumber
	KindString
	KindObject
	KindArray
)

// Value is the raw span of one value. The zero Value is a missing value.
type Value struct {
	Kind Kind
	// Raw is the raw JSON of the value, including the quotes of a string.
	Raw []byte
}

// Exists reports whether there is a value. null is a value.
func (v Value) Exists() bool { return v.Kind != KindNone }

// Body returns the bytes between the quotes of a string, still escaped; nil for all other kinds.
func (v Value) Body() []byte {
	if v.Kind != KindString {
		return nil
	}
	return v.Raw[1 : len(v.Raw)-1]
}

// True reports whether v is the literal true.
func (v Value) True() bool { return v.Kind == KindTrue }

// Is reports whether v is a string whose raw bytes are s. Use it to compare with short constants, which writers do not
// escape.
func (v Value) Is(s string) bool { return v.Kind == KindString && string(v.Body()) == s }
