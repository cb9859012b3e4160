package render

import (
	"io"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
	"github.com/tailspan/tailspan/render/term"
)

// Sanitize makes s safe to show on a terminal and in a log: whole escape sequences go with their payload, and so do C0
// controls but newline and tab, DEL, C1 and bidirectional controls, and characters that are not seen: zero width and soft
// hyphen, tags, fillers, variation selectors. Joiners stay inside emoji and between letters of scripts that need them. A
// lone CR, CRLF, U+0085, U+2028 and U+2029 become one newline each; every byte that is no UTF-8 becomes U+FFFD.
//
// The result is valid UTF-8, and Sanitize of it is the same.
func Sanitize(s string) string { return safe.Sanitize(s) }

// ShortDuration is a duration with no more than people read: "340ms", "4.1s", "1m02s", "3h05m".
func ShortDuration(d time.Duration) string { return text.Short(d) }

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

// Mode is how much is shown, and Style the format of the lines in verbose mode.
type (
	Mode  = style.Mode
	Style = style.Style
)

// The modes; the zero value is the default one.
const (
	ModeDefault = style.ModeDefault // what the agent said and nothing else
	ModeVerbose = style.ModeVerbose // text, tools and notices in source order
	ModeQuiet   = style.ModeQuiet   // the end or failure of a run
	ModeJSON    = style.ModeJSON    // nothing is rendered; input lines go through [Renderer.Raw]
)

// The styles; the zero value is the default one.
const (
	StyleMarker     = style.StyleMarker     // "[tool: Read(calc.go)]", no results
	StyleTranscript = style.StyleTranscript // "[Read] calc.go", "→ 12 lines"
	StyleProgress   = style.StyleProgress   // "Reading src/auth.ts", "Finished reading src/auth.ts"
	StyleActivity   = style.StyleActivity   // "15:04:05 [build] Read calc.go", at most one a second and step
)

// ParseMode is the inverse of [Mode.String]. The error lists what is allowed.
func ParseMode(name string) (Mode, error) { return style.ParseMode(name) }

// ModeNames lists the modes in the spelling of settings.
func ModeNames() []string { return style.ModeNames() }

// ParseStyle is the inverse of [Style.String]. The error lists what is allowed.
func ParseStyle(name string) (Style, error) { return style.ParseStyle(name) }

// StyleNames lists the styles in the spelling of settings.
func StyleNames() []string { return style.StyleNames() }

// Terminal shows a status line below a log; see [term.Terminal].
type Terminal = term.Terminal

// TerminalSettings says how a Terminal draws.
type TerminalSettings = term.Settings

// NewTerminal makes a Terminal that draws on w.
func NewTerminal(w io.Writer, s TerminalSettings) *Terminal { return term.New(w, s) }

// IsTerminal reports whether w is a terminal that a status line can be drawn on.
func IsTerminal(w io.Writer) bool { return term.IsTerminal(w) }

// WidthOf returns a function for the present width of the terminal w, 0 if w is none.
func WidthOf(w io.Writer) func() int { return term.WidthOf(w) }

// Color says when colours are used; see [term.Color].
type Color = term.Color

// The choices; the zero value is the automatic one.
const (
	ColorAuto   = term.ColorAuto   // on a terminal, unless the environment says otherwise
	ColorAlways = term.ColorAlways // everywhere
	ColorNever  = term.ColorNever  // nowhere
)

// ParseColor is the inverse of [Color.String]. The error lists what is allowed.
func ParseColor(name string) (Color, error) { return term.ParseColor(name) }

// Cells is how many cells of a terminal a sanitised line takes.
func Cells(s string) int { return text.Cells(s) }

// Fit cuts a sanitised line to a width in cells, the last being "…" where something was cut.
func Fit(s string, width int) string { return text.Fit(s, width) }

// FitEnd cuts the beginning of a sanitised line, the first cell being "…" where something was cut.
func FitEnd(s string, width int) string { return text.FitEnd(s, width) }

// ShortCount is a number as people read it: "950", "12.3k", "1.2M".
func ShortCount(n int64) string { return text.Count(n) }

// USD is an amount of US dollars as people read it, "$14.02", "$0.52", "$0.0618", with a mark if it is an estimate: "~$0.52".
func USD(amount float64, estimated bool) string { return text.USD(amount, estimated) }

// Tokens is what was used: "137,604 in (134,397 cached), 631 out".
func Tokens(t *events.Tokens) string { return text.Tokens(t) }

// GroupedCount is a number with a comma before each three digits: "1,234,567".
func GroupedCount(n int64) string { return text.Grouped(n) }
