package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact/internal/secret"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// idDigits is the number of hash digits that distinguish two IDs that contain secrets.
const idDigits = 8

// nameFields redacts names: a program may have written a secret in place of a name.
func (r *Redactor) nameFields(e *events.DisplayEvent, seen *seen) (count int) {
	for _, name := range [...]struct {
		s    *string
		last *clean
	}{{&e.Model, &seen.model}, {&e.Tool.Name, &seen.tool}} {
		if *name.s != "" && !name.last.is(*name.s) {
			n := r.field(name.s)
			name.last.note(*name.s, n)
			count += n
		}
	}
	for _, s := range [...]*string{&e.ModelProvider, &e.Notice.Code, (*string)(&e.Sign.Cause), &e.Tool.Server, &e.Tool.AgentType} {
		if *s != "" {
			count += r.field(s)
		}
	}
	return count
}

// idFields removes secrets from the IDs of an event.
func (r *Redactor) idFields(e *events.DisplayEvent, seen *seen) (count int) {
	for _, id := range [...]struct {
		s    *string
		last *clean
	}{
		{&e.SessionID, &seen.session}, {&e.TurnID, &seen.turn}, {&e.MessageID, &seen.message}, {&e.ItemID, &seen.item}, {&e.Tool.ID, &seen.call},
	} {
		if *id.s != "" && !id.last.is(*id.s) {
			n := r.id(id.s)
			id.last.note(*id.s, n)
			count += n
		}
	}
	for _, s := range [...]*string{&e.ParentID, &e.AgentID, &e.Tool.AgentID} {
		if *s != "" {
			count += r.id(s)
		}
	}
	return count
}

// id redacts an ID. A changed ID contains a few digits of its hash, so that equal IDs stay equal and different ones differ.
func (r *Redactor) id(s *string) int {
	out, n := r.redact(*s, 0, false)
	if n > 0 {
		sum := sha256.Sum256([]byte(*s))
		*s = out + "-" + hex.EncodeToString(sum[:])[:idDigits]
	}
	return n
}

// Attribute redacts an attribute of a stream: key and value by shape, and the value also by its key.
func (r *Redactor) Attribute(key, value string) (cleanKey, cleanValue string) {
	value = r.String(value)
	if pair := r.String(key + "=" + value); len(pair) > len(key) && pair[:len(key)+1] == key+"=" {
		return key, pair[len(key)+1:]
	}
	return r.String(key), value
}

// SecretHeader reports whether the HTTP header of a name holds a credential. In a header, every key is one, such as x-vendor-key.
func SecretHeader(name string) bool {
	return secret.NameOf(nil, strings.ToUpper(name)).Class != token.ClassNone
}

// Keys removes secrets from the keys of counts, and adds counts whose keys become equal. It returns m itself if there are no secrets.
func (r *Redactor) Keys(m map[string]int) map[string]int {
	found := false
	for key := range m {
		found = found || r.Contains(key)
	}
	if !found {
		return m
	}
	clean := make(map[string]int, len(m))
	for key, n := range m {
		clean[r.String(key)] += n
	}
	return clean
}
