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

// Hints warns once about each setting that does not fit the files. Several goroutines may use it.
type Hints struct {
	logger *zap.Logger

	mu       sync.Mutex
	misfits  []string // providers that a warning named
	pattern  string   // path_pattern; empty once no warning about it is due
	misfit   string   // the first path that it does not fit
	since    time.Time
	unfitted int
}

// New makes the hints of a receiver whose path_pattern is pattern; empty for none.
func New(logger *zap.Logger, pattern string) *Hints { return &Hints{logger: logger, pattern: pattern} }

// PatternPatience is how long path_pattern may fit none of the files: the first file may be an exception.
const PatternPatience = 10 * time.Second

// Opened records whether path_pattern fits a file.
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

// CheckPattern warns about a path_pattern that has fitted no file for PatternPatience, or until the end.
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

// wrongProvider warns that a file is not of the provider that is set, and names the provider that it fits, if known.
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
		h.logger.Warn("file is not of the provider that is set, nothing of it is parsed", fields...)
		return
	}
	h.logger.Warn("no line of a file is parsed, check setting provider", fields...)
}

// How much of a file is read before a warning about its provider.
const (
	doubtLines = 16
	doubtBytes = 1 << 18
)

// Doubt is for a stream whose provider is set: the lines of its beginning, as long as none of them is understood. Nil: there is none.
type Doubt struct {
	hints          *Hints
	path, provider string
	lines          [][]byte
	bytes          int
}

// Doubt makes the Doubt of a file; nil if its provider is not set.
func (h *Hints) Doubt(path, provider string) *Doubt {
	if provider == parser.Auto || provider == parser.None {
		return nil
	}
	return &Doubt{hints: h, path: path, provider: provider}
}

// Settled checks a line, its status, and the number of lines so far that say nothing, against the provider that is set. It
// reports whether there is no doubt any more; then it is not called again.
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
