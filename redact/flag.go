package redact

// maxCommand is how far before a flag its command may be, in bytes.
const maxCommand = 400

// commandFlag is a flag that takes a password in some commands and something else in others.
type commandFlag struct {
	word     string // with the blank before it
	user     bool   // the password is behind a user and a colon
	glued    bool   // the password is right behind it
	commands []string
}

// commandFlags are facts from the manuals of the commands, as of November 2026.
var commandFlags = []commandFlag{
	{word: " -u", user: true, commands: []string{"curl", "wget", "http", "https", "xh"}},
	{word: " --user", user: true, commands: []string{"curl", "wget"}},
	{word: " -a", user: true, commands: []string{"http", "https", "xh"}},
	{word: " -a", commands: []string{"redis-cli", "keydb-cli", "valkey-cli"}},
	{word: " -p", glued: true, commands: []string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "sshpass", "7z", "7za"}},
	{word: " -p", commands: []string{"sshpass", "login", "mongo", "mongosh", "mongodump", "mongorestore"}},
	{word: " -w", commands: []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami"}},
	{word: " -P", commands: []string{"sqlcmd", "bcp", "ipmitool", "zip", "unzip", "mosquitto_pub", "mosquitto_sub"}},
	{word: " -pw", commands: []string{"plink", "pscp", "psftp", "putty"}},
}

// flagAt finds the password behind a flag; the blank before the flag is at i.
func (f *finder[T]) flagAt(flag *commandFlag, i int) (span, bool) {
	s := f.s
	from := i + len(flag.word)
	switch {
	case from >= len(s) || flag.glued == (is(s[from], cBlank) || s[from] == '='):
		if !flag.user || len(flag.word) > 3 { // curl -uuser:password
			return span{}, false
		}
	case !flag.glued && !is(s[from], cBlank) && s[from] != '=' && (!flag.user || len(flag.word) > 3):
		return span{}, false
	}
	if from < len(s) && (is(s[from], cBlank) || s[from] == '=') {
		from = skip(s, from+1, len(s), cBlank)
	}
	if from >= len(s) {
		return span{}, false
	}
	v := value{sep: sepTight}
	f.readValue(from, &v)
	start, least := v.start, minPassword
	if flag.user {
		colon := indexIn(s, v.start, v.end, ":", false)
		if colon < 0 {
			return span{}, false
		}
		start, least = colon+1, 2
		if colon == v.start && skip(s, start, v.end, cDigit) == v.end { // a port
			return span{}, false
		}
	}
	if v.end-start < least && !f.touchesCut(v.end) || start >= v.end || f.isPlaceholder(start, v.end) || s[start] == '-' {
		return span{}, false
	}
	return span{start: start, end: v.end}, f.commandBefore(i, flag.commands)
}

// commandBefore reports whether one of the words is before i on the same line, with no other command in between.
func (f *finder[T]) commandBefore(i int, words []string) bool {
	s := f.s
	from := i
	for ; from > 0 && i-from < maxCommand; from-- {
		// A line that ends with a backslash goes on.
		if c := s[from-1]; c == '|' || c == ';' || c == '\n' && (from < 2 || s[from-2] != '\\') {
			break
		}
	}
	for at := from; at < i; at++ {
		if !isAlnum(s[at]) || at > 0 && !starts(s, at) {
			continue
		}
		for _, w := range words {
			if end := at + len(w); end <= i && hasAt(s, at, w, false) && (end == i || is(s[end], cSpace) || hasAt(s, end, ".exe", false)) {
				return true
			}
		}
	}
	return false
}

// maxStatement is how far before IDENTIFIED BY its statement may begin, in bytes.
const maxStatement = 200

// identifiedAt finds the password of SQL's IDENTIFIED BY and IDENTIFIED WITH plugin BY, whose first word is at i.
func (f *finder[T]) identifiedAt(i int) (span, bool) {
	s := f.s
	word := func(w string) bool {
		j := skip(s, i, len(s), cSpace)
		if j == i || !hasAt(s, j, w, true) || j+len(w) < len(s) && is(s[j+len(w)], cAlnum|cIdent) {
			return false
		}
		i = j + len(w)
		return true
	}
	if !starts(s, i) || !hasAt(s, i, "IDENTIFIED", false) && indexIn(s, i-maxStatement, i, "user ", true) < 0 && indexIn(s, i-maxStatement, i, "grant ", true) < 0 {
		return span{}, false
	}
	i += len("identified")
	plugin := false
	if word("with") {
		plugin = true
		j := skip(s, i, len(s), cSpace)
		i = skip(s, skip(s, j, len(s), cQuote), len(s), cAlnum|cIdent)
		i = skip(s, i, len(s), cQuote)
	}
	if !word("by") && !(plugin && word("as")) {
		return span{}, false
	}
	for word("password") || word("values") {
	}
	v := value{sep: sepBlank}
	from := skip(s, i, len(s), cSpace)
	if from >= len(s) || from == i && !is(s[from], cQuote) {
		return span{}, false
	}
	f.readValue(from, &v)
	m := mixOf(s, v.start, v.end)
	if v.end-v.start < minPassword && !f.touchesCut(v.end) || f.isPlaceholder(v.start, v.end) {
		return span{}, false
	}
	return span{start: v.start, end: v.end}, v.quoted || m.digit > 0
}

// pgpassAt finds the password of a line host:port:database:user:password; the n bytes at i are of the port, with the
// colons around it.
func (f *finder[T]) pgpassAt(i, n int) (span, bool) {
	s := f.s
	start := i
	for start > 0 && i-start < maxIdent && !is(s[start-1], cSpace|cQuote) && s[start-1] != ':' && s[start-1] != '/' {
		start--
	}
	if start > 0 && s[start-1] != '\n' && !is(s[start-1], cQuote) && !(s[start-1] == ' ' && s[i] == ':') || s[i] == ':' && start == i {
		return span{}, false
	}
	at := i + n
	for field := range 3 {
		from := at
		for at < len(s) && at-from < maxIdent && !is(s[at], cSpace|cQuote) && (s[at] != ':' || field == 2) {
			at++
		}
		if field == 2 {
			m := mixOf(s, from, at)
			return span{start: from, end: at}, at-from >= minPassword && m.digit > 0 && m.digit < at-from && !f.isPlaceholder(from, at)
		}
		if at == from || at >= len(s) || s[at] != ':' {
			return span{}, false
		}
		at++
	}
	return span{}, false
}
