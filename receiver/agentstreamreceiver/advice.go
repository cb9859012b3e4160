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

// adviser tells the user once of each setting that does not fit the files. It may be used by several goroutines.
type adviser struct {
	logger *zap.Logger

	mu       sync.Mutex
	misfits  []string // providers that were told of
	pattern  string   // path_pattern; empty once there is nothing more to tell of it
	strange  string   // the first path that it does not fit
	since    time.Time
	unfitted int
}

// patternPatience is how long path_pattern may fit none of the files: one that comes first may be a stray.
const patternPatience = 10 * time.Second

// opened notes whether path_pattern fits a file.
func (a *adviser) opened(path string, fits bool, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.pattern == "":
	case fits:
		a.pattern = ""
	default:
		if a.unfitted++; a.unfitted == 1 {
			a.strange, a.since = path, now
		}
	}
}

// tell tells of a path_pattern that has fitted no file for long, or until the end.
func (a *adviser) tell(now time.Time, end bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pattern == "" || a.unfitted == 0 || !end && now.Sub(a.since) < patternPatience {
		return
	}
	a.logger.Warn("path_pattern fits none of the files, so they have no attributes of their paths",
		zap.String("path_pattern", a.pattern), zap.Int("files", a.unfitted), zap.String("path", a.strange))
	a.pattern = ""
}

// misfit tells that a file is not of the provider that is set, and whose it looks like, if that is known.
func (a *adviser) misfit(path, provider, looksLike string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.misfits, provider) {
		return
	}
	a.misfits = append(a.misfits, provider)
	fields := []zap.Field{zap.String("provider", provider), zap.String("path", path)}
	if looksLike != "" {
		fields = append(fields, zap.String("looks_like", looksLike))
		a.logger.Warn("file is not of the provider that is set, so nothing of it is understood", fields...)
		return
	}
	a.logger.Warn("no line of a file is understood: provider may be wrong", fields...)
}

// What is looked at of a file until its provider is doubted.
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

// consider takes in a line and what became of it.
func (s *stream) consider(data []byte, status events.LineStatus) {
	d := s.doubt
	if d == nil {
		return
	}
	if status == events.LineOK || s.fold.At.Replay {
		s.doubt = nil
		return
	}
	d.lines, d.bytes = append(d.lines, bytes.Clone(data)), d.bytes+len(data)
	provider := s.source.provider
	name, known := parser.Detect(d.lines)
	switch full := len(d.lines) >= doubtLines || d.bytes >= doubtBytes; {
	case known && name != provider:
		s.receiver.adviser.misfit(s.source.path, provider, name)
	case full && s.fold.Stats().Ignored < len(d.lines):
		s.receiver.adviser.misfit(s.source.path, provider, "")
	case !full && !known:
		return
	}
	s.doubt = nil
}
