package secret

import (
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// maxCommand is the maximum distance between a flag and its command, in bytes.
const maxCommand = 600

// CommandFlag is a flag that takes a password in some commands and has another meaning in others.
type CommandFlag struct {
	Word     string // including the blank before it
	user     bool   // the password follows a user and a colon
	cookie   bool   // the value is name=value of cookies; without an equal sign it is a file
	glued    bool   // the password follows it without a blank
	commands []string
}

// CommandFlags are from the manuals of the commands, as of November 2026.
var CommandFlags = []CommandFlag{
	{Word: " -u", user: true, commands: []string{"curl", "wget", "http", "https", "xh"}},
	{Word: " -U", user: true, commands: []string{"curl"}},
	{Word: " --proxy-user", user: true, commands: []string{"curl"}},
	{Word: " -b", cookie: true, commands: []string{"curl"}},
	{Word: " --user", user: true, commands: []string{"curl", "wget"}},
	{Word: " -a", user: true, commands: []string{"http", "https", "xh"}},
	{Word: " -a", commands: []string{"redis-cli", "keydb-cli", "valkey-cli"}},
	{Word: " -p", glued: true, commands: []string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "sshpass", "7z", "7za"}},
	{Word: " -p", commands: []string{"sshpass", "login", "twine", "mongo", "mongosh", "mongodump", "mongorestore"}},
	{Word: " -w", commands: []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami"}},
	{Word: " -P", commands: []string{"sqlcmd", "bcp", "ipmitool", "zip", "unzip", "mosquitto_pub", "mosquitto_sub"}},
	{Word: " -pw", commands: []string{"plink", "pscp", "psftp", "putty"}},
}

// FlagAt finds the password after a flag. The blank before the flag is at i.
func (r *Rules[T]) FlagAt(flag *CommandFlag, i int) (text.Span, bool) {
	s := r.S
	from := i + len(flag.Word)
	switch {
	case from >= len(s) || flag.glued == (text.Is(s[from], text.Blank) || s[from] == '='):
		if !flag.user || len(flag.Word) > 3 { // curl -uuser:password
			return text.Span{}, false
		}
	case !flag.glued && !text.Is(s[from], text.Blank) && s[from] != '=' && (!flag.user || len(flag.Word) > 3):
		return text.Span{}, false
	}
	if from < len(s) && (text.Is(s[from], text.Blank) || s[from] == '=') {
		from = text.Skip(s, from+1, len(s), text.Blank)
	}
	if from >= len(s) {
		return text.Span{}, false
	}
	v := token.Value{Sep: token.SepTight}
	r.ReadValue(from, &v)
	start, least := v.Start, MinPassword
	switch {
	case flag.cookie:
		equal := text.IndexIn(s, v.Start, v.End, "=", false)
		if equal < 0 || text.MixOf(s, v.Start, equal).Blank > 0 {
			return text.Span{}, false
		}
		start = equal + 1
	case flag.user:
		colon := text.IndexIn(s, v.Start, v.End, ":", false)
		if colon < 0 {
			return text.Span{}, false
		}
		start, least = colon+1, 2
		if colon == v.Start && text.Skip(s, start, v.End, text.Digit) == v.End { // a port
			return text.Span{}, false
		}
	}
	if v.End-start < least && !r.TouchesCut(v.End) || start >= v.End || r.isPlaceholder(start, v.End) || s[start] == '-' {
		return text.Span{}, false
	}
	return text.Span{Start: start, End: v.End}, r.commandBefore(i, flag.commands)
}

// commandBefore reports whether one of the words precedes i on the same line, with no other command in between.
func (r *Rules[T]) commandBefore(i int, words []string) bool {
	s := r.S
	from := i
	for ; from > 0 && i-from < maxCommand; from-- {
		// A line that ends with a backslash continues on the next one.
		if c := s[from-1]; c == '|' || c == ';' && text.Is(s[from], text.Space) || c == '\n' && (from < 2 || s[from-2] != '\\') {
			break
		}
	}
	for at := from; at < i; at++ {
		if !text.IsAlnum(s[at]) || at > 0 && !text.Starts(s, at) {
			continue
		}
		for _, w := range words {
			if end := at + len(w); end <= i && text.HasAt(s, at, w, false) && (end == i || text.Is(s[end], text.Space) || text.HasAt(s, end, ".exe", false)) {
				return true
			}
		}
	}
	return false
}

// maxStatement is the maximum distance between IDENTIFIED BY and the beginning of its statement, in bytes.
const maxStatement = 200

// IdentifiedAt finds the password of SQL's IDENTIFIED BY and IDENTIFIED WITH plugin BY, whose first word is at i.
func (r *Rules[T]) IdentifiedAt(i int) (text.Span, bool) {
	s := r.S
	word := func(w string) bool {
		j := text.Skip(s, i, len(s), text.Space)
		if j == i || !text.HasAt(s, j, w, true) || j+len(w) < len(s) && text.Is(s[j+len(w)], text.Alnum|text.Ident) {
			return false
		}
		i = j + len(w)
		return true
	}
	if !text.Starts(s, i) || !text.HasAt(s, i, "IDENTIFIED", false) && text.IndexIn(s, i-maxStatement, i, "user ", true) < 0 && text.IndexIn(s, i-maxStatement, i, "grant ", true) < 0 {
		return text.Span{}, false
	}
	i += len("identified")
	plugin := false
	if word("with") {
		plugin = true
		j := text.Skip(s, i, len(s), text.Space)
		i = text.Skip(s, text.Skip(s, j, len(s), text.Quote), len(s), text.Alnum|text.Ident)
		i = text.Skip(s, i, len(s), text.Quote)
	}
	if !word("by") && !(plugin && word("as")) {
		return text.Span{}, false
	}
	for word("password") || word("values") {
	}
	v := token.Value{Sep: token.SepBlank}
	from := text.Skip(s, i, len(s), text.Space)
	if from >= len(s) || from == i && !text.Is(s[from], text.Quote) {
		return text.Span{}, false
	}
	r.ReadValue(from, &v)
	m := text.MixOf(s, v.Start, v.End)
	if v.End-v.Start < MinPassword && !r.TouchesCut(v.End) || r.isPlaceholder(v.Start, v.End) {
		return text.Span{}, false
	}
	return text.Span{Start: v.Start, End: v.End}, v.Quoted || m.Digit > 0
}

// PgpassAt finds the password of a line host:port:database:user:password. The n bytes at i are the port with the
// colons around it.
func (r *Rules[T]) PgpassAt(i, n int) (text.Span, bool) {
	s := r.S
	start := i
	for start > 0 && i-start < token.MaxIdent && !text.Is(s[start-1], text.Space|text.Quote) && s[start-1] != ':' && s[start-1] != '/' {
		start--
	}
	if start > 0 && s[start-1] != '\n' && !text.Is(s[start-1], text.Quote) && !(s[start-1] == ' ' && s[i] == ':') || s[i] == ':' && start == i {
		return text.Span{}, false
	}
	at := i + n
	for field := range 3 {
		from := at
		for at < len(s) && at-from < token.MaxIdent && !text.Is(s[at], text.Space|text.Quote) && (s[at] != ':' || field == 2) {
			at++
		}
		if field == 2 {
			m := text.MixOf(s, from, at)
			return text.Span{Start: from, End: at}, at-from >= MinPassword && m.Digit > 0 && m.Digit < at-from && !r.isPlaceholder(from, at)
		}
		if at == from || at >= len(s) || s[at] != ':' {
			return text.Span{}, false
		}
		at++
	}
	return text.Span{}, false
}
