package agentstreamreceiver

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// configHints warns once about each setting that does not fit the files. Several goroutines may use it.
type configHints struct {
	logger *zap.Logger

	mu       sync.Mutex
	misfits  []string // providers that a warning named
	pattern  string   // path_pattern; empty once no warning about it is due
	misfit   string   // the first path that it does not fit
	since    time.Time
	unfitted int
}

// patternPatience is how long path_pattern may fit none of the files: the first file may be an exception.
const patternPatience = 10 * time.Second

// opened records whether path_pattern fits a file.
func (a *configHints) opened(path string, fits bool, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.pattern == "":
	case fits:
		a.pattern = ""
	default:
		if a.unfitted++; a.unfitted == 1 {
			a.misfit, a.since = path, now
		}
	}
}

// checkPattern warns about a path_pattern that has fitted no file for patternPatience, or until the end.
func (a *configHints) checkPattern(now time.Time, end bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pattern == "" || a.unfitted == 0 || !end && now.Sub(a.since) < patternPatience {
		return
	}
	a.logger.Warn("path_pattern matches no file, exporting without attributes of their paths",
		zap.String("path_pattern", a.pattern), zap.Int("files", a.unfitted), zap.String("path", a.misfit))
	a.pattern = ""
}

// wrongProvider warns that a file is not of the provider that is set, and names the provider that it fits, if known.
func (a *configHints) wrongProvider(path, provider, detected string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.misfits, provider) {
		return
	}
	a.misfits = append(a.misfits, provider)
	fields := []zap.Field{zap.String("provider", provider), zap.String("path", path)}
	if detected != "" {
		fields = append(fields, zap.String("detected", detected))
		a.logger.Warn("file is not of the provider that is set, nothing of it is parsed", fields...)
		return
	}
	a.logger.Warn("no line of a file is parsed, check setting provider", fields...)
}

// How much of a file is read before a warning about its provider.
const (
	doubtLines = 16
	doubtBytes = 1 << 18
)

// doubt is for a stream whose provider is set: the lines of its beginning, as long as none of them is understood.
type doubt struct {
	lines [][]byte
	bytes int
}

func newDoubt(provider string) *doubt {
	if provider == parser.Auto || provider == parser.None {
		return nil
	}
	return &doubt{}
}

// consider checks a line and its status against the provider that is set.
func (s *stream) consider(data []byte, status events.LineStatus) {
	d := s.doubt
	if d == nil {
		return
	}
	if status == events.LineOK || s.pipeline.At.Replay {
		s.doubt = nil
		return
	}
	d.lines, d.bytes = append(d.lines, bytes.Clone(data)), d.bytes+len(data)
	provider := s.source.provider
	name, known := parser.Detect(d.lines)
	switch full := len(d.lines) >= doubtLines || d.bytes >= doubtBytes; {
	case known && name != provider:
		s.receiver.hints.wrongProvider(s.source.path, provider, name)
	case full && s.pipeline.Events().Stats().Ignored < len(d.lines):
		s.receiver.hints.wrongProvider(s.source.path, provider, "")
	case !full && !known:
		return
	}
	s.doubt = nil
}
