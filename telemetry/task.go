package telemetry

import (
	"cmp"
	"strconv"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/runkey"
)

// A sub-agent that is called again continues its stream. Each call starts a task: a run of the stream with its own
// span, whose parent is that call. The n-th task of the stream belongs to the n-th call to the agent ([link.Key]).
//
//	task   begins with                                           ends with
//	first  the first line of the stream                          its call, or the notice that the work is over
//	next   a turn after one that ended, or a prompt after the    the same
//	       agent's sign of the end; once the previous task ended

// openTask opens the run of the task that begins with waiting. It returns false while its parent is unknown or the
// previous task has not ended; force overrides both.
func (s *waiting) openTask(key link.Key, waiting pending.Events, force bool) bool {
	before := s.run
	if key.Task = s.seen.Before(&s.seen.Agents, key.Agent); before == nil || key.Task == 0 || before.ChildKey.IsZero() {
		before = nil
	}
	s.family.NoteTask(waiting)
	ref := s.family.Await(key, waiting)
	if before != nil && !before.Closed {
		k := s.registry.links.Lookup(before.ChildKey)
		if !k.Ended && !force && !s.decide {
			return false
		}
		if !s.suppressed { // otherwise it was done before a restart
			s.recordRunStep(strconv.Itoa(before.ChildKey.Task), StepTask, s.sink)
		}
		s.closeRun(before, cmp.Or(k.End.Reason, otlp.CloseReasonResult))
	}
	if ref == nil {
		if ref = s.family.FolderRun(force || s.decide || s.live && s.registry.settings.Eager); ref == nil && s.family.HasFolder() {
			s.registry.startTimer(waitParent, s.self)
		}
	}
	if ref == nil && before != nil && (force || s.decide) {
		ref = before.Ref // the call that started the task is unknown
	}
	if ref == nil {
		s.registry.startTimer(waitParent, s.self)
		return false
	}
	if !force && (s.waitsForRun(ref) || s.waitsForAgent(key)) {
		return false
	}
	s.openRun(&runkey.Key{ID: ref.Key}, waiting)
	s.adopt(key, ref)
	return true
}
