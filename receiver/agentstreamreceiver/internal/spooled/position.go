package spooled

import (
	"context"
	"encoding/json"
	"fmt"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// position is what is stored of a spool.
type position struct {
	Version  int             `json:"version"`
	Position int64           `json:"position"`
	State    json.RawMessage `json:"state,omitempty"`
	// Exit is how the command ended, without its standard error.
	Exit *outcome.Exit `json:"exit,omitempty"`
}

// positionVersion is the version of position.
const positionVersion = 1

func positionKey(s *spool.Spool) string { return "spool/" + s.Name() }

// save stores the position. If that fails, a restart exports lines again, with the same IDs.
func (r *reading) save(ctx context.Context) {
	if !r.input.stores() {
		return
	}
	var err error
	for saved := false; !saved; {
		amended := r.amended.Load()
		state, _ := r.State()
		saved, err = r.store(ctx, state, amended)
	}
	r.covered.Store(r.accepted.Load()) // also after a failure: a text must not wait for the storage
	observer := &r.input.settings.Follow.Observer
	if err != nil {
		observer.Unsaved(r.spool.Path(), err)
		return
	}
	observer.Saved()
}

// stores reports whether positions are stored. Spools in the folder for temporary files are not resumed.
func (in *input) stores() bool { return in.storage != nil && in.folder.lasting() }

// store writes the position, unless its state was amended since amended was read.
func (r *reading) store(ctx context.Context, state []byte, amended int64) (saved bool, err error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	if r.amended.Load() != amended {
		return false, nil
	}
	return true, r.write(ctx, state)
}

func (r *reading) write(ctx context.Context, state []byte) error {
	value, err := json.Marshal(position{positionVersion, r.accepted.Load(), state, r.exit})
	if err == nil {
		err = r.input.storage.Set(ctx, positionKey(r.spool), value)
	}
	if err != nil {
		return fmt.Errorf("write position of spool: %w", err)
	}
	return nil
}

// Covers implements [tail.Checkpoint].
func (r *reading) Covers(_ context.Context, offset int64) bool { return r.covered.Load() >= offset }

// Amend implements [tail.Checkpoint].
func (r *reading) Amend(ctx context.Context, state []byte) error {
	r.storing.Lock()
	defer r.storing.Unlock()
	r.amended.Add(1)
	return r.write(ctx, state)
}

// saveExit stores how the command ended, for the process that resumes its spool.
func (r *reading) saveExit(ctx context.Context, e *outcome.Exit) {
	exit := *e
	exit.Stderr = ""
	r.storing.Lock()
	r.exit = &exit
	r.storing.Unlock()
	r.save(context.WithoutCancel(ctx))
}

// positionOf returns the stored position of a spool, or the zero value if there is none or it is unusable.
func (in *Inputs) positionOf(ctx context.Context, s *spool.Spool) (kept position) {
	if in.storage == nil {
		return kept
	}
	value, err := in.storage.Get(ctx, positionKey(s))
	if err == nil && value != nil {
		if err = json.Unmarshal(value, &kept); err == nil && kept.Version > positionVersion {
			err = tail.ErrNewer
		}
	}
	if err != nil {
		in.settings.Follow.Observer.Unusable(positionKey(s), err)
		in.settings.Logger.Error("stored offset of a spool is unusable, reading it from its beginning", zap.String("path", s.Path()), zap.Error(err))
		return position{}
	}
	return kept
}

// deletePosition deletes the stored position of a completely acknowledged spool.
func (in *input) deletePosition(ctx context.Context, s *spool.Spool) {
	if !in.stores() {
		return
	}
	if err := in.storage.Delete(context.WithoutCancel(ctx), positionKey(s)); err != nil {
		in.settings.Logger.Warn("offset of a spool was not removed from storage", zap.String("path", s.Path()), zap.Error(err))
	}
}
