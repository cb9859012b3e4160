package telemetry

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
)

// copyKey is what an item of the model shares with a copy of it in another session: its id, its content, and its time or
// else the id of its line.
type copyKey struct {
	provider, id, line string
	at                 int64 // Unix nanoseconds
	kind               events.Kind
	what, detail       string
}

// copyKey is that of an item; ok is false where nothing proves a copy: the bodies of a server are answers, never history,
// and without session there is no other one.
func (s *Stream) copyKey(ev *events.DisplayEvent) (key copyKey, ok bool) {
	if s.settings.Agent.Bodies || ev.SessionID == "" {
		return key, false
	}
	key = copyKey{provider: s.settings.Agent.Provider, id: cmp.Or(ev.MessageID, ev.Tool.ID, ev.ItemID), kind: ev.Kind}
	if clock.Plausible(ev.Time) {
		key.at = ev.Time.UnixNano()
	} else {
		key.line = ev.ItemID
	}
	key.what, key.detail = saidBy(ev)
	return key, key.id != "" && (key.at != 0 || key.line != "")
}

// stable is the same in every process.
func (k *copyKey) stable() uint64 {
	return stableHash("copy", k.provider, k.id, k.line, strconv.FormatInt(k.at, 10), k.kind.String(), k.what, k.detail)
}

// mark is of this process alone, and cheap.
func (r *Registry) mark(k *copyKey) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, part := range [...]string{k.provider, k.id, k.line, k.what, k.detail} {
		h.WriteString(part)
		h.WriteByte(0)
	}
	var rest [9]byte
	binary.LittleEndian.PutUint64(rest[:], uint64(k.at))
	rest[8] = byte(k.kind)
	h.Write(rest[:])
	return h.Sum64()
}

// stableHash is the same in every process. Nobody can write a stream whose things meet those of another.
func stableHash(parts ...string) uint64 {
	sum := otlp.Hash(otlp.DomainThing, 0, parts...)
	return binary.BigEndian.Uint64(sum[:8])
}

// leavesHistory reports whether ev is the first own work of a session whose run so far is copied history.
func (s *Stream) leavesHistory(ev *events.DisplayEvent) bool {
	r := s.run
	if r == nil || !r.isCopy() || r.closed || r.subAgent || ev.Copied || !modelWorks(ev) || ev.Kind == events.KindMessage {
		return false
	}
	if r.standing == account.Copy && (r.account == nil || r.account.Recalled()) {
		return false
	}
	key, ok := s.copyKey(ev)
	return !ok || !s.registry.said.Has(s.registry.mark(&key))
}
