package hints

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// Hints warns once about each setting that does not fit the files. It is safe for concurrent use.
type Hints struct {
	logger *zap.Logger

	mu       sync.Mutex
	misfits  []string // providers already named in a warning
	pattern  string   // path_pattern; empty once no warning about it is due
	misfit   string   // the first path that it does not match
	since    time.Time
	unfitted int
}

// New returns the hints of a receiver with the given path_pattern, which may be empty.
func New(logger *zap.Logger, pattern string) *Hints { return &Hints{logger: logger, pattern: pattern} }

// PatternPatience is how long path_pattern may match no file before a warning, because the first file may be an exception.
const PatternPatience = 10 * time.Second

// Opened records whether path_pattern matches a file.
func (h *Hints) Opened(path string, fits bool, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.pattern == "":
	case fits:
		h.pattern = ""
	default:
		if h.unfitted++; h.unfitted == 1 {
			h.misfit, h.since = path, now
		}
	}
}

// CheckPattern warns about a path_pattern that has matched no file for PatternPatience, or at all if end is true.
func (h *Hints) CheckPattern(now time.Time, end bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pattern == "" || h.unfitted == 0 || !end && now.Sub(h.since) < PatternPatience {
		return
	}
	h.logger.Warn("path_pattern matches no file, exporting without attributes of their paths",
		zap.String("path_pattern", h.pattern), zap.Int("files", h.unfitted), zap.String("path", h.misfit))
	h.pattern = ""
}

// wrongProvider warns that a file does not fit the configured provider, and names the provider that it fits, if known.
func (h *Hints) wrongProvider(path, provider, detected string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.misfits, provider) {
		return
	}
	h.misfits = append(h.misfits, provider)
	fields := []zap.Field{zap.String("provider", provider), zap.String("path", path)}
	if detected != "" {
		fields = append(fields, zap.String("detected", detected))
		h.logger.Warn("file does not fit the configured provider, parsing none of it", fields...)
		return
	}
	h.logger.Warn("no line of the file could be parsed, check setting provider", fields...)
}

// How much of a file is read before a warning about its provider.
const (
	doubtLines = 16
	doubtBytes = 1 << 18
)

// Doubt checks the first lines of a stream with a configured provider until one of them is understood. A nil Doubt checks nothing.
type Doubt struct {
	hints          *Hints
	path, provider string
	lines          [][]byte
	bytes          int
}

// Doubt returns the Doubt of a file, or nil if its provider is not configured.
func (h *Hints) Doubt(path, provider string) *Doubt {
	if provider == parser.Auto || provider == parser.None {
		return nil
	}
	return &Doubt{hints: h, path: path, provider: provider}
}

// Settled checks a line, its status, and the number of ignored lines so far against the configured provider. It reports
// whether the doubt is settled; after that it must not be called again.
func (d *Doubt) Settled(line []byte, status events.LineStatus, ignored int) bool {
	if status == events.LineOK {
		return true
	}
	d.lines, d.bytes = append(d.lines, bytes.Clone(line)), d.bytes+len(line)
	name, known := parser.Detect(d.lines)
	switch full := len(d.lines) >= doubtLines || d.bytes >= doubtBytes; {
	case known && name != d.provider:
		d.hints.wrongProvider(d.path, d.provider, name)
	case full && ignored < len(d.lines):
		d.hints.wrongProvider(d.path, d.provider, "")
	case !full && !known:
		return false
	}
	return true
}
