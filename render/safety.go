package render

import (
	"io"

	"github.com/tailspan/tailspan/render/internal/safe"
)

// Sanitize makes s safe to show on a terminal and in a log: whole escape sequences go with their payload, and so do C0
// controls but newline and tab, DEL, C1 and bidirectional controls, and characters that are not seen: zero width and soft
// hyphen, tags, fillers, variation selectors. Joiners stay inside emoji and between letters of scripts that need them. A
// lone CR, CRLF, U+0085, U+2028 and U+2029 become one newline each; every byte that is no UTF-8 becomes U+FFFD.
//
// The result is valid UTF-8, and Sanitize of it is the same.
func Sanitize(s string) string { return safe.Sanitize(s) }

// CISystems is a set of CI systems that read commands from the logs of their jobs.
type CISystems = safe.Systems

// The systems.
const (
	CIGitHub    = safe.GitHub
	CIAzure     = safe.Azure
	CITeamCity  = safe.TeamCity
	CIGitLab    = safe.GitLab
	CIBuildkite = safe.Buildkite
	CIAll       = safe.All
)

// DetectCI gives the systems whose job this is, by the environment. Where only CI is set, it may be any of them.
func DetectCI(env func(key string) string) CISystems { return safe.Detect(env) }

// CIEscape says when commands to CI systems are broken.
type CIEscape = safe.Escape

// The choices; the zero value is the automatic one.
const (
	CIEscapeAuto = safe.EscapeAuto // those of the system whose job this is
	CIEscapeOn   = safe.EscapeOn   // those of all systems
	CIEscapeOff  = safe.EscapeOff  // none
)

// ParseCIEscape is the inverse of [CIEscape.String]. The error lists what is allowed.
func ParseCIEscape(name string) (CIEscape, error) { return safe.ParseEscape(name) }

// BreakCommands gives a writer in place of w that breaks commands to CI systems in what is written, and changes nothing else.
// It is for lines that a program writes itself, such as its standard error, beside a log. Where there is no system, it is w.
func BreakCommands(w io.Writer, systems CISystems) io.Writer { return safe.Breaker(w, systems) }
