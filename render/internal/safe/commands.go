package safe

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Systems is a set of CI systems that read commands from the logs of their jobs.
type Systems uint8

// The systems and the commands that they obey. Sources, as of November 2026: the GitHub Actions runner (ActionCommand),
// the Azure Pipelines agent (Command), TeamCity "Service Messages", GitLab "Custom collapsible sections", Buildkite
// "Managing log output". Jenkins reads no commands from text.
const (
	// GitHub obeys "::name" at the start of a line, after optional white space, and "##[name]" anywhere.
	GitHub Systems = 1 << iota
	// Azure obeys "##vso[" and "##[" anywhere.
	Azure
	// TeamCity obeys "##teamcity[" anywhere.
	TeamCity
	// GitLab obeys "section_start:" and "section_end:" anywhere.
	GitLab
	// Buildkite obeys "---", "+++", "~~~" and "^^^", followed by a blank, at the start of a line.
	Buildkite

	// All contains all systems.
	All = GitHub | Azure | TeamCity | GitLab | Buildkite
)

// Detect returns the systems that may run this job, according to the environment. If only CI is set, it may be any of them.
func Detect(env func(key string) string) Systems {
	var found Systems
	for system, variable := range map[Systems]string{
		GitHub: "GITHUB_ACTIONS", Azure: "TF_BUILD", TeamCity: "TEAMCITY_VERSION", GitLab: "GITLAB_CI", Buildkite: "BUILDKITE",
	} {
		if isSet(env(variable)) {
			found |= system
		}
	}
	if found == 0 && isSet(env("CI")) {
		return All
	}
	return found
}

func isSet(value string) bool {
	return value != "" && value != "0" && !strings.EqualFold(value, "false")
}

// Escape says which commands to CI systems are broken.
type Escape uint8

// The choices; the zero value is automatic.
const (
	// EscapeAuto breaks the commands of the system that runs this job.
	EscapeAuto Escape = iota
	// EscapeOn breaks the commands of all systems.
	EscapeOn
	// EscapeOff breaks no commands.
	EscapeOff

	escapeEnd
)

var escapeNames = [escapeEnd]string{"auto", "on", "off"}

// String returns the name used in settings.
func (c Escape) String() string {
	if c < escapeEnd {
		return escapeNames[c]
	}
	return fmt.Sprintf("ci_escape(%d)", uint8(c))
}

// ParseEscape is the inverse of [Escape.String]. The error lists the allowed names.
func ParseEscape(name string) (Escape, error) {
	for c := range escapeEnd {
		if escapeNames[c] == name {
			return c, nil
		}
	}
	return EscapeAuto, fmt.Errorf("must be one of %s, got %q", strings.Join(escapeNames[:], ", "), name)
}

// Systems returns the systems whose commands are broken in an environment.
func (c Escape) Systems(env func(key string) string) Systems {
	switch c {
	case EscapeOn:
		return All
	case EscapeOff:
		return 0
	}
	return Detect(env)
}

// Filter finds the characters of a log before which a backslash breaks a command.
type Filter struct {
	// Systems are the systems whose commands are found.
	Systems Systems
	lead    leadState
	mark    rune // of leadMark
	marks   int
	tail    [maxCommandTail]byte // last bytes of the line, in lower case, newest last
}

// leadState describes the beginning of a line.
type leadState uint8

const (
	leadBlank leadState = iota // white space only
	leadColon                  // white space, then one colon
	leadMark                   // white space, then marks of a section
	leadOther
)

// sectionMark is the number of equal marks that begin a section in Buildkite.
const sectionMark = 3

// commandTails are the characters that turn the next one into the beginning of a command, anywhere in a line.
var commandTails = [...]struct {
	systems Systems
	tail    string
	next    rune
}{
	{GitHub | Azure, "##", '['},
	{Azure, "##vso", '['},
	{TeamCity, "##teamcity", '['},
	{GitLab, "section_start", ':'},
	{GitLab, "section_end", ':'},
}

const maxCommandTail = len("section_start")

// Breaks reports whether a backslash is required before r, the next character of the line.
func (f *Filter) Breaks(r rune) bool {
	switch r {
	case ':', '[':
		if f.lead == leadColon && r == ':' && f.Systems&GitHub != 0 {
			return true
		}
		for i := range commandTails {
			c := &commandTails[i]
			if c.next == r && f.Systems&c.systems != 0 && string(f.tail[maxCommandTail-len(c.tail):]) == c.tail {
				return true
			}
		}
		return false
	case '\n', '\r':
		return false
	}
	return f.lead == leadMark && f.marks == sectionMark && f.Systems&Buildkite != 0 && unicode.IsSpace(r)
}

// See records one character of the log.
func (f *Filter) See(r rune) {
	if r == '\n' || r == '\r' { // either ends a line in GitHub's runner
		*f = Filter{Systems: f.Systems}
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

// Breaker returns a writer to w that breaks commands to CI systems and changes nothing else. It is for lines that a program
// itself writes next to a log, such as its standard error. If systems is empty, it returns w.
func Breaker(w io.Writer, systems Systems) io.Writer {
	if systems == 0 {
		return w
	}
	return &commandBreaker{w: w, filter: Filter{Systems: systems}}
}

// maxIdle is the maximum size of a buffer that is kept between writes, in bytes.
const maxIdle = 1 << 16

// commandBreaker is a writer that breaks commands. It must be used by one goroutine at a time.
type commandBreaker struct {
	w      io.Writer
	filter Filter
	rune   []byte // beginning of a rune that the next write may complete; it is already written
	buf    []byte
}

// Write writes p with commands broken.
func (b *commandBreaker) Write(p []byte) (int, error) {
	b.buf = b.buf[:0]
	for _, c := range p {
		if c < utf8.RuneSelf {
			b.rune = b.rune[:0]
			if b.filter.Breaks(rune(c)) {
				b.buf = append(b.buf, '\\')
			}
			b.filter.See(rune(c))
		} else if b.rune = append(b.rune, c); utf8.FullRune(b.rune) {
			r, _ := utf8.DecodeRune(b.rune)
			b.filter.See(r)
			b.rune = b.rune[:0]
		}
		b.buf = append(b.buf, c)
	}
	n, err := b.w.Write(b.buf)
	if cap(b.buf) > maxIdle {
		b.buf = nil
	}
	if err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}
