package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CISystems is a set of CI systems that read commands from the logs of their jobs.
type CISystems uint8

// The systems, and what they obey. Sources, as of November 2026: the GitHub Actions runner (ActionCommand), the Azure
// Pipelines agent (Command), TeamCity "Service Messages", GitLab "Custom collapsible sections", Buildkite "Managing log
// output". Jenkins reads no commands from text.
const (
	// CIGitHub obeys "::name" at the start of a line, white space before it aside, and "##[name]" anywhere.
	CIGitHub CISystems = 1 << iota
	// CIAzure obeys "##vso[" and "##[" anywhere.
	CIAzure
	// CITeamCity obeys "##teamcity[" anywhere.
	CITeamCity
	// CIGitLab obeys "section_start:" and "section_end:" anywhere.
	CIGitLab
	// CIBuildkite obeys "---", "+++", "~~~" and "^^^" before a blank at the start of a line.
	CIBuildkite

	// CIAll are all of them.
	CIAll = CIGitHub | CIAzure | CITeamCity | CIGitLab | CIBuildkite
)

// DetectCI gives the systems whose job this is, by the environment. Where only CI is set, it may be any of them.
func DetectCI(env func(key string) string) CISystems {
	var found CISystems
	for system, variable := range map[CISystems]string{
		CIGitHub: "GITHUB_ACTIONS", CIAzure: "TF_BUILD", CITeamCity: "TEAMCITY_VERSION", CIGitLab: "GITLAB_CI", CIBuildkite: "BUILDKITE",
	} {
		if isSet(env(variable)) {
			found |= system
		}
	}
	if found == 0 && isSet(env("CI")) {
		return CIAll
	}
	return found
}

func isSet(value string) bool {
	return value != "" && value != "0" && !strings.EqualFold(value, "false")
}

// CIEscape says when commands to CI systems are broken.
type CIEscape uint8

// The choices; the zero value is the automatic one.
const (
	// CIEscapeAuto breaks the commands of the system whose job this is.
	CIEscapeAuto CIEscape = iota
	// CIEscapeOn breaks those of all systems.
	CIEscapeOn
	// CIEscapeOff breaks none.
	CIEscapeOff

	ciEscapeEnd
)

var ciEscapeNames = [ciEscapeEnd]string{"auto", "on", "off"}

// String gives the spelling in settings.
func (c CIEscape) String() string {
	if c < ciEscapeEnd {
		return ciEscapeNames[c]
	}
	return fmt.Sprintf("ci_escape(%d)", uint8(c))
}

// ParseCIEscape is the inverse of [CIEscape.String]. The error lists what is allowed.
func ParseCIEscape(name string) (CIEscape, error) {
	for c := range ciEscapeEnd {
		if ciEscapeNames[c] == name {
			return c, nil
		}
	}
	return CIEscapeAuto, fmt.Errorf("must be one of %s, got %q", strings.Join(ciEscapeNames[:], ", "), name)
}

// Systems are the systems whose commands are broken, in an environment.
func (c CIEscape) Systems(env func(key string) string) CISystems {
	switch c {
	case CIEscapeOn:
		return CIAll
	case CIEscapeOff:
		return 0
	}
	return DetectCI(env)
}

// commandFilter finds in the characters of a log the one before which a command is broken by a backslash.
type commandFilter struct {
	systems CISystems
	lead    leadState
	mark    rune // of leadMark
	marks   int
	tail    [maxCommandTail]byte // the last bytes of the line, lower case, newest last
}

// leadState is what a line begins with.
type leadState uint8

const (
	leadBlank leadState = iota // white space only
	leadColon                  // white space, then one colon
	leadMark                   // white space, then marks of a section
	leadOther
)

// sectionMark is how many equal marks begin a section of Buildkite.
const sectionMark = 3

// commandTails are what turns the next character into the begin of a command, wherever in a line it is.
var commandTails = [...]struct {
	systems CISystems
	tail    string
	next    rune
}{
	{CIGitHub | CIAzure, "##", '['},
	{CIAzure, "##vso", '['},
	{CITeamCity, "##teamcity", '['},
	{CIGitLab, "section_start", ':'},
	{CIGitLab, "section_end", ':'},
}

const maxCommandTail = len("section_start")

// breaks reports whether a backslash has to be before r, the next character of the line.
func (f *commandFilter) breaks(r rune) bool {
	switch r {
	case ':', '[':
		if f.lead == leadColon && r == ':' && f.systems&CIGitHub != 0 {
			return true
		}
		for i := range commandTails {
			c := &commandTails[i]
			if c.next == r && f.systems&c.systems != 0 && string(f.tail[maxCommandTail-len(c.tail):]) == c.tail {
				return true
			}
		}
		return false
	case '\n', '\r':
		return false
	}
	return f.lead == leadMark && f.marks == sectionMark && f.systems&CIBuildkite != 0 && unicode.IsSpace(r)
}

// see notes one character of the log.
func (f *commandFilter) see(r rune) {
	if r == '\n' || r == '\r' { // either ends a line for the runner of GitHub Actions
		*f = commandFilter{systems: f.systems}
		return
	}
	switch {
	case f.lead == leadBlank && unicode.IsSpace(r):
	case f.lead == leadBlank && r == ':':
		f.lead = leadColon
	case f.lead == leadBlank && strings.ContainsRune("-+~^", r):
		f.lead, f.mark, f.marks = leadMark, r, 1
	case f.lead == leadMark && r == f.mark:
		f.marks++
	default:
		f.lead = leadOther
	}
	copy(f.tail[:], f.tail[1:])
	f.tail[maxCommandTail-1] = 0
	if r < utf8.RuneSelf {
		f.tail[maxCommandTail-1] = byte(unicode.ToLower(r))
	}
}

// BreakCommands gives a writer in place of w that breaks commands to CI systems in what is written, and changes nothing else.
// It is for lines that a program writes itself, such as its standard error, beside a log. Where there is no system, it is w.
func BreakCommands(w io.Writer, systems CISystems) io.Writer {
	if systems == 0 {
		return w
	}
	return &commandBreaker{w: w, filter: commandFilter{systems: systems}}
}

// commandBreaker is a writer that breaks commands, used by one goroutine at a time.
type commandBreaker struct {
	w      io.Writer
	filter commandFilter
	rune   []byte // the beginning of one that the next write may complete; it is written already
	buf    []byte
}

// Write writes p with commands broken.
func (b *commandBreaker) Write(p []byte) (int, error) {
	b.buf = b.buf[:0]
	for _, c := range p {
		if c < utf8.RuneSelf {
			b.rune = b.rune[:0]
			if b.filter.breaks(rune(c)) {
				b.buf = append(b.buf, '\\')
			}
			b.filter.see(rune(c))
		} else if b.rune = append(b.rune, c); utf8.FullRune(b.rune) {
			r, _ := utf8.DecodeRune(b.rune)
			b.filter.see(r)
			b.rune = b.rune[:0]
		}
		b.buf = append(b.buf, c)
	}
	n, err := b.w.Write(b.buf)
	b.buf = keepSmall(b.buf)
	if err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}
