package main

// form is the form of a type.
type form uint8

const (
	formOther   form = iota // nothing that contains names
	formLiteral             // name is the text
	formRef                 // name is the type or enum member referred to
	formObject              // members
	formUnion               // parts
	formBoth                // an intersection of parts
)

// shape is a type, as far as it is parsed.
type shape struct {
	form    form
	name    string
	members map[string]*shape
	parts   []*shape
}

var other = &shape{form: formOther}

// declarations are the types of a file by name; members of enums also have the name "Enum.Member".
type declarations map[string]*shape

// maxNesting is the maximum nesting of types.
const maxNesting = 200

// reader moves over tokens.
type reader struct {
	tokens []token
	at     int
	depth  int
}

// declare parses the declarations of a file. A name with two declarations, as interfaces may have, combines both.
func declare(source string) declarations {
	r := &reader{tokens: tokens(source)}
	d := declarations{}
	for r.peek().kind != tokenEnd {
		switch {
		case r.accept("type") && r.peek().kind == tokenWord:
			name := r.next().text
			r.generics()
			if r.sign("=") {
				d.add(name, r.union())
			}
		case r.accept("interface") && r.peek().kind == tokenWord:
			d.add(r.next().text, r.interfaceBody())
		case r.accept("enum") && r.peek().kind == tokenWord:
			d.enum(r.next().text, r)
		default:
			r.next()
		}
	}
	return d
}

func (d declarations) add(name string, s *shape) {
	if have := d[name]; have != nil {
		s = &shape{form: formBoth, parts: []*shape{have, s}}
	}
	d[name] = s
}

// enum parses the body of an enum, whose type is the union of its values.
func (d declarations) enum(name string, r *reader) {
	if !r.sign("{") {
		return
	}
	all := &shape{form: formUnion}
	for r.peek().kind != tokenEnd && !r.sign("}") {
		member := r.next()
		if !r.sign("=") {
			continue
		}
		if value := r.next(); value.kind == tokenString {
			literal := &shape{form: formLiteral, name: value.text}
			d[name+"."+member.text] = literal
			all.parts = append(all.parts, literal)
		}
	}
	d.add(name, all)
}

// interfaceBody parses what follows an interface's name: `extends A, B<C> { ... }`.
func (r *reader) interfaceBody() *shape {
	r.generics()
	s := &shape{form: formBoth}
	if r.accept("extends") {
		s.parts = append(s.parts, r.primary())
		for r.sign(",") {
			s.parts = append(s.parts, r.primary())
		}
	}
	if r.peek().is("{") {
		s.parts = append(s.parts, r.primary())
	}
	return s
}

// union parses a type: alternatives of intersections.
func (r *reader) union() *shape {
	if r.depth++; r.depth > maxNesting {
		r.at = len(r.tokens)
	}
	defer func() { r.depth-- }()
	s := &shape{form: formUnion}
	for more := true; more; more = r.sign("|") {
		r.sign("|") // the first alternative may have one too
		both := &shape{form: formBoth}
		for more := true; more; more = r.sign("&") {
			both.parts = append(both.parts, r.primary())
		}
		s.parts = append(s.parts, both.single())
	}
	return s.single()
}

func (s *shape) single() *shape {
	if len(s.parts) == 1 {
		return s.parts[0]
	}
	return s
}

// primary parses one type without operators, and the array brackets after it, after which it contains no names.
func (r *reader) primary() *shape {
	s := other
	switch t := r.peek(); {
	case t.kind == tokenString:
		s = &shape{form: formLiteral, name: r.next().text}
	case t.is("{"):
		s = r.object()
	case t.is("("):
		r.next()
		if s = r.union(); !r.sign(")") { // parameters of a function
			s = other
			r.skipTo(")")
		}
		if r.arrow() {
			s = other
		}
	case t.is("["):
		r.next()
		r.skipTo("]")
	case t.kind == tokenWord:
		s = r.ref()
	case t.kind != tokenEnd && !closes(t):
		r.next()
	}
	for r.peek().is("[") {
		r.next()
		if !r.sign("]") { // a member's type, T["x"]
			r.skipTo("]")
		}
		s = other
	}
	return s
}

// arrow parses the result of a function type.
func (r *reader) arrow() bool {
	if !r.peek().is("=") || r.at+1 >= len(r.tokens) || !r.tokens[r.at+1].is(">") {
		return false
	}
	r.at += 2
	r.union()
	return true
}

// ref parses a name with its qualifiers and arguments. `readonly T`, `keyof T` and similar forms yield nothing.
func (r *reader) ref() *shape {
	name := r.next().text
	switch name {
	case "readonly", "keyof", "typeof", "infer", "unique", "new", "asserts":
		if next := r.peek(); next.kind == tokenWord || next.is("(") || next.is("{") || next.is("[") {
			r.primary()
		}
		return other
	}
	for r.sign(".") {
		name += "." + r.next().text
	}
	r.generics()
	return &shape{form: formRef, name: name}
}

// object parses an object type. It ignores methods and index signatures.
func (r *reader) object() *shape {
	s := &shape{form: formObject, members: map[string]*shape{}}
	r.next()
	for r.peek().kind != tokenEnd && !r.sign("}") {
		name := r.next()
		switch {
		case name.word("readonly") && !r.peek().is(":") && !r.peek().is("?"):
			continue
		case name.is("["):
			r.skipTo("]")
		case name.kind == tokenSign:
			continue
		}
		r.sign("?")
		switch {
		case r.sign(":"):
			if value := r.union(); name.kind != tokenSign {
				s.members[name.text] = value
			}
		case r.peek().is("(") || r.peek().is("<"):
			r.generics()
			if r.sign("(") {
				r.skipTo(")")
			}
			if r.sign(":") {
				r.union()
			}
		}
	}
	return s
}

// generics skips parameters or arguments in angle brackets.
func (r *reader) generics() {
	if r.sign("<") {
		r.skipTo(">")
	}
}

// skipTo moves past the bracket that closes the current one.
func (r *reader) skipTo(closing string) {
	for depth := 0; r.peek().kind != tokenEnd; {
		t := r.next()
		switch {
		case depth == 0 && t.is(closing):
			return
		case t.is("=") && r.peek().is(">"): // an arrow closes nothing
			r.next()
		case opens(t):
			depth++
		case closes(t) && depth > 0:
			depth--
		}
	}
}

func opens(t token) bool { return t.is("(") || t.is("[") || t.is("{") || t.is("<") }
func closes(t token) bool {
	return t.is(")") || t.is("]") || t.is("}") || t.is(">") || t.is(";") || t.is(",")
}

func (r *reader) peek() token {
	if r.at >= len(r.tokens) {
		return token{}
	}
	return r.tokens[r.at]
}

func (r *reader) next() token {
	t := r.peek()
	if t.kind != tokenEnd {
		r.at++
	}
	return t
}

func (r *reader) sign(s string) bool {
	if r.peek().is(s) {
		r.at++
		return true
	}
	return false
}

func (r *reader) accept(word string) bool {
	if r.peek().word(word) {
		r.at++
		return true
	}
	return false
}
