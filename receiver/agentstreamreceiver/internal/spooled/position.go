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

// save stores the position. If that fails, a restart exports lines again, with the same IDs. Spools in the folder for
// temporary files are not resumed, so their positions are not stored.
func (r *reading) save(ctx context.Context) {
	in := r.input
	if in.storage == nil || !in.folder.lasting() {
		return
	}
	state, _ := r.State()
	value, err := json.Marshal(position{positionVersion, r.accepted.Load(), state, r.kept.Exit})
	if err == nil {
		err = in.storage.Set(ctx, positionKey(r.spool), value)
	}
	observer := &in.settings.Follow.Observer
	if err != nil {
		observer.Unsaved(r.spool.Path(), fmt.Errorf("write position of spool: %w", err))
		return
	}
	observer.Saved()
}

// saveExit stores how the command ended, for the process that resumes its spool.
func (r *reading) saveExit(ctx context.Context, e *outcome.Exit) {
	exit := *e
	exit.Stderr = ""
	r.kept.Exit = &exit
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
	if in.storage == nil || !in.folder.lasting() {
		return
	}
	if err := in.storage.Delete(context.WithoutCancel(ctx), positionKey(s)); err != nil {
		in.settings.Logger.Warn("offset of a spool was not removed from storage", zap.String("path", s.Path()), zap.Error(err))
	}
}
