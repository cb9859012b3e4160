package redact

// maxCommand is how far before a flag its command is looked for, in bytes.
const maxCommand = 400

// flagAt finds the password after -u (curl and its like: user:password) and -p (programs that take a password so). The
// blank before the flag stands at i.
func (f *finder[T]) flagAt(i int) (span, bool) {
	s := f.s
	user := s[i+2] == 'u' || s[i+2] == '-'
	from := i + len(" -u")
	if s[i+2] == '-' {
		from = i + len(" --user")
	}
	glued := from < len(s) && !is(s[from], cBlank) && s[from] != '='
	if s[i+2] == '-' && glued { // --user-agent
		return span{}, false
	}
	if !glued && from < len(s) {
		from = skip(s, from+1, len(s), cBlank)
	}
	if from >= len(s) {
		return span{}, false
	}
	v := value{sep: sepTight}
	f.readValue(from, &v)
	if user {
		colon := indexIn(s, v.start, v.end, ":", false)
		if colon < 0 || v.end-colon-1 < 2 && !f.touchesCut(v.end) || f.isPlaceholder(colon+1, v.end) || !f.commandBefore(i, "curl", "wget", "http", "xh") {
			return span{}, false
		}
		return span{start: colon + 1, end: v.end}, true
	}
	if v.end-v.start < minPassword && !f.touchesCut(v.end) || f.isPlaceholder(v.start, v.end) || s[v.start] == '-' {
		return span{}, false
	}
	if glued { // mysql -pPassword; elsewhere it is a flag of its own, or a number
		return span{start: v.start, end: v.end}, f.commandBefore(i, "mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass", "7z")
	}
	return span{start: v.start, end: v.end}, f.commandBefore(i, "sshpass", "login")
}

// commandBefore reports whether one of the words stands before i on the same line, with no other command in between.
func (f *finder[T]) commandBefore(i int, words ...string) bool {
	for j := i + 1; j > 0 && i-j < maxCommand; j-- {
		switch c := f.s[j-1]; c {
		case '|', '\n', ';':
			// A line that ends with a backslash goes on.
			if c != '\n' || j < 2 || f.s[j-2] != '\\' {
				return false
			}
		}
		if j >= 2 && isAlnum(f.s[j-2]) && !is(f.s[j-1], cAlnum) {
			for _, w := range words {
				if at := j - 1 - len(w); at >= 0 && hasAt(f.s, at, w, false) && starts(f.s, at) {
					return true
				}
			}
		}
	}
	for _, w := range words {
		if hasAt(f.s, 0, w, false) && i-len(w) < maxCommand && len(f.s) > len(w) && is(f.s[len(w)], cBlank) {
			return indexIn(f.s, 0, i, "\n", false) < 0
		}
	}
	return false
}
