package watch

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tailspan/tailspan/tail"
)

// Part is lines of a file, which grows while it is read if Live is set. Age is its age when it was opened.
type Part struct {
	Path  string
	Lines []string
	Live  bool
	Age   time.Duration
}

// Play applies parts of files to a board, in order, at one time.
func Play(now time.Time, set Settings, parts ...Part) (*Board, error) {
	board := NewBoard(set.Prices)
	reader := newHandler(&set, board, func() time.Time { return now })
	var errs []error
	reader.fail = func(err error) { errs = append(errs, err) }
	streams, offsets := map[string]*stream{}, map[string]int64{}
	for _, p := range parts {
		if streams[p.Path] == nil {
			s, err := reader.newStream(tail.Stream{ID: p.Path, Path: p.Path, ModTime: now.Add(-p.Age)})
			if err != nil {
				return nil, err
			}
			streams[p.Path] = s
		}
		for _, line := range p.Lines {
			offsets[p.Path]++
			errs = append(errs, streams[p.Path].Lines(context.Background(), []tail.Line{{Data: []byte(line), Offset: offsets[p.Path], Live: p.Live}}))
		}
		errs = append(errs, streams[p.Path].Idle(context.Background()))
	}
	return board, errors.Join(errs...)
}

// NewPrinter returns a function that prints what is new on a board.
func NewPrinter(w io.Writer, since time.Time) func(*Board) error {
	p := &printer{w: w, since: since, runs: map[string]*printed{}}
	return func(b *Board) error { return p.print(b.Runs()) }
}

// RecentAge returns the age of the oldest file that is read at start.
var RecentAge = recentAge

// Sources returns the number of known sources.
func (b *Board) Sources() int { return len(b.sources) }

// The limits of a board.
const (
	MaxAgents  = maxAgents
	MinSources = minSources
)
