package text

// SGR is the graphic rendition of a part of a line, if colours are used. The colours are from the fixed part of the table of
// 256 and have medium brightness, so that each is readable on a light and on a dark background. The terminal's own palette
// is not: its cyan and yellow are often as bright as white paper, and faint may be hardly visible.
type SGR uint8

// The renditions.
const (
	SGRNone SGR = iota
	SGRDim
	SGRHead
	SGRTool
	SGRGood
	SGRWarning
	SGRFailure

	sgrCount
)

// SGRReset ends every rendition.
const SGRReset = "\x1b[0m"

// renditions are the sequences that begin a rendition (SGR of ECMA-48; 38;5;n of ISO 8613-6).
var renditions = [sgrCount]string{
	SGRDim:     "\x1b[38;5;243m", // grey
	SGRHead:    "\x1b[1m",        // bold
	SGRTool:    "\x1b[38;5;30m",  // teal
	SGRGood:    "\x1b[38;5;28m",  // green
	SGRWarning: "\x1b[38;5;130m", // brown
	SGRFailure: "\x1b[38;5;160m", // red
}

// Begin returns the sequence that begins a rendition.
func (s SGR) Begin() string { return renditions[s] }
