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

// Sanitize makes s safe to show on a terminal and in a log. It removes escape sequences with their payload, C0 controls
// except newline and tab, DEL, C1 and bidirectional controls, and invisible characters: zero width and soft hyphen, tags,
// fillers, variation selectors. It keeps joiners inside emoji and between letters of scripts that need them. A lone CR,
// CRLF, U+0085, U+2028 and U+2029 become one newline each; every byte that is not UTF-8 becomes U+FFFD.
//
// The result is valid UTF-8. Sanitizing it again changes nothing.
func Sanitize(s string) string { return safe.Sanitize(s) }

// ShortDuration returns a duration at the precision that people need: "340ms", "4.1s", "1m02s", "3h05m".
func ShortDuration(d time.Duration) string { return text.Short(d) }

// CoarseDuration returns a duration in its largest unit: "4m", "47h", "3d".
func CoarseDuration(d time.Duration) string { return text.Coarse(d) }

// Ago returns how long ago something was: "just now", "4m ago".
func Ago(d time.Duration) string { return text.Ago(d) }

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

// DetectCI returns the systems that may run this job, according to the environment. If only CI is set, it may be any of them.
func DetectCI(env func(key string) string) CISystems { return safe.Detect(env) }

// CIEscape says which commands to CI systems are broken.
type CIEscape = safe.Escape

// The choices; the zero value is automatic.
const (
	CIEscapeAuto = safe.EscapeAuto // those of the system that runs this job
	CIEscapeOn   = safe.EscapeOn   // those of all systems
	CIEscapeOff  = safe.EscapeOff  // none
)

// ParseCIEscape is the inverse of [CIEscape.String]. The error lists the allowed names.
func ParseCIEscape(name string) (CIEscape, error) { return safe.ParseEscape(name) }

// BreakCommands returns a writer to w that breaks commands to CI systems and changes nothing else. It is for lines that a
// program itself writes next to a log, such as its standard error. If systems is empty, it returns w.
func BreakCommands(w io.Writer, systems CISystems) io.Writer { return safe.Breaker(w, systems) }

// Mode is how much is shown; Style is the format of the lines in verbose mode.
type (
	Mode  = style.Mode
	Style = style.Style
)

// The modes; the zero value is the default mode.
const (
	ModeDefault = style.ModeDefault // what the agent said and nothing else
	ModeVerbose = style.ModeVerbose // text, tools and notices in source order
	ModeQuiet   = style.ModeQuiet   // the end or failure of a run
	ModeJSON    = style.ModeJSON    // nothing is rendered; input lines pass through [Renderer.Raw]
)

// The styles; the zero value is the default style.
const (
	StyleMarker     = style.StyleMarker     // "[tool: Read(calc.go)]", no results
	StyleTranscript = style.StyleTranscript // "[Read] calc.go", "→ 12 lines"
	StyleProgress   = style.StyleProgress   // "Reading src/auth.ts", "Finished reading src/auth.ts"
	StyleActivity   = style.StyleActivity   // "15:04:05 [build] Read calc.go", at most one per second and step
)

// ParseMode is the inverse of [Mode.String]. The error lists the allowed names.
func ParseMode(name string) (Mode, error) { return style.ParseMode(name) }

// ModeNames returns the names of the modes in settings.
func ModeNames() []string { return style.ModeNames() }

// ParseStyle is the inverse of [Style.String]. The error lists the allowed names.
func ParseStyle(name string) (Style, error) { return style.ParseStyle(name) }

// StyleNames returns the names of the styles in settings.
func StyleNames() []string { return style.StyleNames() }

// Terminal shows a status line below a log; see [term.Terminal].
type Terminal = term.Terminal

// TerminalSettings says how a Terminal draws.
type TerminalSettings = term.Settings

// NewTerminal returns a Terminal that draws on w.
func NewTerminal(w io.Writer, s TerminalSettings) *Terminal { return term.New(w, s) }

// IsTerminal reports whether w is a terminal that can show a status line.
func IsTerminal(w io.Writer) bool { return term.IsTerminal(w) }

// WidthOf returns a function for the current width of the terminal w; 0 if w is not a terminal.
func WidthOf(w io.Writer) func() int { return term.WidthOf(w) }

// Color says when colours are used; see [term.Color].
type Color = term.Color

// The choices; the zero value is automatic.
const (
	ColorAuto   = term.ColorAuto   // on a terminal, unless the environment says otherwise
	ColorAlways = term.ColorAlways // everywhere
	ColorNever  = term.ColorNever  // nowhere
)

// ParseColor is the inverse of [Color.String]. The error lists the allowed names.
func ParseColor(name string) (Color, error) { return term.ParseColor(name) }

// Cells returns the number of terminal cells that a sanitised line takes.
func Cells(s string) int { return text.Cells(s) }

// Fit cuts a sanitised line to a width in cells; the last cell is "…" if it cut.
func Fit(s string, width int) string { return text.Fit(s, width) }

// FitEnd cuts the beginning of a sanitised line; the first cell is "…" if it cut.
func FitEnd(s string, width int) string { return text.FitEnd(s, width) }

// ShortCount returns a number in short form: "950", "12.3k", "1.2M".
func ShortCount(n int64) string { return text.Count(n) }

// USD returns an amount of US dollars, "$14.02", "$0.52", "$0.0618", with a mark if it is an estimate: "~$0.52".
func USD(amount float64, estimated bool) string { return text.USD(amount, estimated) }

// Tokens returns the tokens used: "137,604 in (134,397 cached), 631 out".
func Tokens(t *events.Tokens) string { return text.Tokens(t) }

// GroupedCount returns a number with a comma before each group of three digits: "1,234,567".
func GroupedCount(n int64) string { return text.Grouped(n) }
