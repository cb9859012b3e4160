package redact

import "slices"

// maxType is how long the type between a name and its value may be, in bytes.
const maxType = 40

// literalAfter is where the string literal of code begins that belongs to the name before i, where more than a separator
// is in between; 0 if there is none.
//
//	const apiKey: string = "value"      a type
//	os.Setenv("API_KEY", "value")       the next argument of a call
//	setPassword("value")                the argument of a setter
//	BasicAuth("user", "value")          the argument behind a user
//	process.env.API_KEY || "value"      a default
func (f *finder[T]) literalAfter(id name, i int, v *value) int {
	if i >= len(f.s) {
		return 0
	}
	if v.quote == "" {
		if at := f.typed(i); at > 0 {
			v.sep = sepEqual
			return at
		}
	}
	v.sep = sepCall
	s := f.s
	switch j := skip(s, i, len(s), cSpace); {
	case j >= len(s):
	case v.quote != "" && s[j] == ',' && f.isCalled(id.start):
		return f.quoteAt(skip(s, j+1, len(s), cSpace))
	case id.class == classWeak && (s[j] == '(' || s[j] == '=') && v.quote == "":
		return f.secondArgument(j)
	case v.quote == "" && s[i] == '(' && f.isSetter(id):
		return f.quoteAt(skip(s, i+1, len(s), cSpace))
	default:
		return f.defaultAt(i)
	}
	return 0
}

// typed is where the literal begins behind a type and an equal sign.
func (f *finder[T]) typed(i int) int {
	s := f.s
	if s[i] == '?' || s[i] == '!' {
		i++
	}
	array := false
	if i < len(s) && s[i] == '[' { // char password[] = "value"
		if i = skip(s, i+1, len(s), cDigit); i >= len(s) || s[i] != ']' {
			return 0
		}
		i, array = i+1, true
	}
	j := skip(s, i, len(s), cBlank)
	end := j
	switch {
	case j+1 < len(s) && s[j] == ':' && s[j+1] != ':' && s[j+1] != '=':
		j = skip(s, j+1, len(s), cBlank)
		for end = j; end < len(s) && end-j < maxType && (is(s[end], cAlnum|cIdent|cBlank) || isTypeByte(s[end])); end++ {
		}
		if end == j || !is(s[j], cLower|cUpper) && s[j] != '&' && s[j] != '[' && s[j] != '*' && s[j] != '?' {
			return 0
		}
	case array:
	case hasAt(s, j, "{ get;", false): // public string Password { get; set; } = "value"
		if end = indexIn(s, j, j+maxType, "} =", false); end < 0 {
			return 0
		}
		end += len("} ")
	case j > i:
		if end = f.typeWord(j); end == 0 {
			return 0
		}
		end = skip(s, end, len(s), cBlank)
	default:
		return 0
	}
	if end >= len(s) || s[end] != '=' || end+1 < len(s) && (s[end+1] == '=' || s[end+1] == '>') {
		return 0
	}
	return f.quoteAt(skip(s, end+1, len(s), cBlank))
}

// isTypeByte reports whether c is part of types, beside what identifiers are made of.
func isTypeByte(c byte) bool {
	return c == '&' || c == '\'' || c == '<' || c == '>' || c == '[' || c == ']' || c == '*' || c == '|' || c == '?'
}

// typeWords are types of texts that code writes behind a name without a colon.
var typeWords = []string{"string", "str", "[]byte", "*string", "as string", "text", "varchar"}

// typeWord is the end of the type at i, 0 if there is none.
func (f *finder[T]) typeWord(i int) int {
	for _, w := range typeWords {
		if end := i + len(w); hasAt(f.s, i, w, true) && end < len(f.s) && is(f.s[end], cBlank) {
			return end
		}
	}
	return 0
}

// isCalled reports whether the quoted name that begins at i is the first argument of a call.
func (f *finder[T]) isCalled(i int) bool {
	for i > 0 && (is(f.s[i-1], cQuote|cSpace) || f.s[i-1] == '\\') {
		i--
	}
	return i > 0 && f.s[i-1] == '('
}

// isSetter reports whether a call of id sets what it names: x.password("value"), setPassword("value"), PASSWORD('value').
func (f *finder[T]) isSetter(id name) bool {
	if id.caps || id.start > 0 && (f.s[id.start-1] == '>' || f.s[id.start-1] == ':') {
		return true
	}
	at := id.start
	for i := id.start; i < id.end; i++ {
		if f.s[i] == '.' {
			at = i + 1
		}
	}
	if at > id.start || at > 0 && f.s[at-1] == '.' || at > 1 && f.s[at-1] == ')' {
		return true
	}
	return slices.ContainsFunc([]string{"set", "with", "add", "use", "put"}, func(w string) bool { return hasAt(f.s, at, w, true) })
}

// secondArgument is where the second of two literals begins: ("user", "value") at i, maybe behind an equal sign.
func (f *finder[T]) secondArgument(i int) int {
	s := f.s
	if s[i] == '=' {
		i = skip(s, i+1, len(s), cBlank)
	}
	if i >= len(s) || s[i] != '(' {
		return 0
	}
	user := value{}
	at := f.quoteAt(skip(s, i+1, len(s), cSpace))
	if at == 0 {
		return 0
	}
	if f.readValue(at, &user); !user.closed {
		return 0
	}
	if j := f.behindQuote(&user); j < len(s) && s[j] == ',' {
		return f.quoteAt(skip(s, j+1, len(s), cSpace))
	}
	return 0
}

// defaultAt is where the literal begins that is the default of what is before i: x || "value", x ?? "value", x or "value".
func (f *finder[T]) defaultAt(i int) int {
	s := f.s
	if i < len(s) && s[i] == ')' { // getenv("NAME")
		i++
	}
	j := skip(s, i, len(s), cBlank)
	if j == i {
		return 0
	}
	for _, operator := range [...]string{"|| ", "?? ", "?: ", "or "} {
		if hasAt(s, j, operator, false) {
			return f.quoteAt(skip(s, j+len(operator), len(s), cBlank))
		}
	}
	return 0
}

// quoteAt is i if a string literal begins there, 0 if none does.
func (f *finder[T]) quoteAt(i int) int {
	j := f.literalAt(i)
	if k := skipByte(f.s, j, '\\'); k < len(f.s) && is(f.s[k], cQuote) {
		return i
	}
	return 0
}

// behindQuote is the first place behind the closing quote of a value that is no white space.
func (f *finder[T]) behindQuote(v *value) int {
	i := skipByte(f.s, v.end, '\\')
	for i < len(f.s) && is(f.s[i], cQuote) {
		i++
	}
	return skip(f.s, i, len(f.s), cSpace)
}

// endsArgument reports whether the value is a whole argument.
func (f *finder[T]) endsArgument(v *value) bool {
	i := f.behindQuote(v)
	return v.closed && (i >= len(f.s) || f.s[i] == ')' || f.s[i] == ',' || f.s[i] == '.' || f.s[i] == ';' || f.s[i] == '}' || f.s[i] == '\\') || f.touchesCut(v.end)
}

// wrappers are functions that return their only argument: String::from("value"), Some("value"), []byte("value").
var wrappers = []string{"from", "some", "secretstr", "secretstring", "secret", "string", "str", "bytes", "byte", "of", "just"}

// literalAt skips what is in front of the quote of a literal: the letter of r"", b"", $"", @"", L"", N”, and a wrapper.
func (f *finder[T]) literalAt(i int) int {
	s := f.s
	j := i
	for n := 0; n < 2 && j < len(s) && (is(s[j], cLower|cUpper) || s[j] == '$' || s[j] == '@'); n++ {
		j++
		if k := skipByte(s, j, '\\'); k < len(s) && is(s[k], cQuote) {
			return j
		}
	}
	if j == i && (j >= len(s) || s[j] != '[' && s[j] != '&') {
		return i
	}
	word := i
	for j = i; j < len(s) && j-i < maxType && (is(s[j], cAlnum) || s[j] == '_' || s[j] == ':' || s[j] == '.' || s[j] == '[' || s[j] == ']' || s[j] == '&' || s[j] == ' '); j++ {
		if !isAlnum(s[j]) && s[j] != '_' {
			word = j + 1
		}
	}
	if j+1 >= len(s) || s[j] != '(' || j == word {
		return i
	}
	k := skipByte(s, j+1, '\\')
	if k >= len(s) || !is(s[k], cQuote) || !slices.ContainsFunc(wrappers, func(w string) bool { return len(w) == j-word && hasAt(s, word, w, true) }) {
		return i
	}
	return j + 1
}

// block reads a value that is in the lines below its name, as "|" and ">" of YAML announce it at i.
func (f *finder[T]) block(id name, i int, v *value) bool {
	s := f.s
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return false
	}
	for i++; i < len(s) && (s[i] == '-' || s[i] == '+' || is(s[i], cDigit)); i++ {
	}
	start, broken := f.lines(i)
	if !broken || start >= len(s) {
		return false
	}
	v.start, v.quoted, v.closed = start, true, true
	v.end = f.lineEnd(start)
	for end := v.end; ; {
		next, broken := f.lines(end)
		if !broken || next >= len(s) || f.indent(next) <= f.indent(id.start) || f.indent(next) != f.indent(start) {
			break
		}
		if end = f.lineEnd(next); mixOf(s, next, end).blank > 0 {
			break
		}
		v.more = end
	}
	return true
}

// lineEnd is the end of the line at i, without blanks, also where the line break is written out.
func (f *finder[T]) lineEnd(i int) int {
	end := i
	for ; end < len(f.s) && end-i < maxQuoted && f.s[end] != '\n' && f.s[end] != '\r'; end++ {
		if f.s[end] == '\\' && end+1 < len(f.s) && (f.s[end+1] == 'n' || f.s[end+1] == 'r' || f.s[end+1] == '"') {
			break
		}
	}
	for end > i && is(f.s[end-1], cBlank) {
		end--
	}
	return end
}

// indent is how many blanks are in front of what is at i on its line; 0 if something else is.
func (f *finder[T]) indent(i int) int {
	n := 0
	for i > n && is(f.s[i-n-1], cBlank) {
		n++
	}
	return n
}
