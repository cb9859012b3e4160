package telemetry

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Ids are SHA-256 over a domain and the length-prefixed parts, cut to size: the same input gives the same id on every
// machine and in every version that keeps the domain. A domain keeps, say, a chat span and a tool span of one item apart.
const (
	domainTrace     = "trace"
	domainRun       = "run"
	domainChat      = "chat"
	domainTool      = "tool"
	domainAgent     = "agent"      // a sub-agent by its own id
	domainCallAgent = "call_agent" // a sub-agent without one, by the call that started it
	domainPipeline  = "pipeline"
	domainTask      = "task"
	domainRecord    = "record"
	domainContent   = "content" // what an item says
	domainThing     = "thing"   // what streams are accounts of
	domainStream    = "stream"
)

// partsRoom is room for what most ids are the hash of, in bytes.
const partsRoom = 512

// hash mixes the parts.
func hash(domain string, occurrence int, parts ...string) [sha256.Size]byte {
	size := len(domain) + 4*(len(parts)+1) + 8
	for _, p := range parts {
		size += len(p)
	}
	buf := make([]byte, 0, partsRoom) // on the stack
	if size > cap(buf) {
		buf = make([]byte, 0, size)
	}
	return sha256.Sum256(appendParts(buf, domain, occurrence, parts...))
}

// appendParts appends what an id is the hash of; the length prefix keeps ("ab","c") and ("a","bc") apart.
func appendParts(buf []byte, domain string, occurrence int, parts ...string) []byte {
	buf = appendPart(buf, domain)
	for _, p := range parts {
		buf = appendPart(buf, p)
	}
	return binary.BigEndian.AppendUint64(buf, uint64(occurrence))
}

func appendPart(buf []byte, part string) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(part)))
	return append(buf, part...)
}

// traceID is never the invalid id of all zeros.
func traceID(occurrence int, parts ...string) pcommon.TraceID {
	sum := hash(domainTrace, occurrence, parts...)
	id := pcommon.TraceID(sum[:16])
	if id.IsEmpty() {
		id[15] = 1
	}
	return id
}

// spanID is never the invalid id of all zeros.
func spanID(domain string, occurrence int, parts ...string) pcommon.SpanID {
	sum := hash(domain, occurrence, parts...)
	return firstSpanID(&sum)
}

// firstSpanID is the span id at the beginning of a hash.
func firstSpanID(sum *[sha256.Size]byte) pcommon.SpanID {
	id := pcommon.SpanID(sum[:8])
	if id.IsEmpty() {
		id[7] = 1
	}
	return id
}

// callIDs are the id of a call's span, and the hash of what the call does, which repeats of it share. The first of them, as
// nearly every call is, takes one hash for both.
func callIDs(occurrence int, parts ...string) (id pcommon.SpanID, content [contentBytes]byte) {
	sum := hash(domainTool, 0, parts...)
	copy(content[:], sum[len(id):])
	if occurrence > 0 {
		return spanID(domainTool, occurrence, parts...), content
	}
	return firstSpanID(&sum), content
}

// uid is the identity of a log record.
type uid [16]byte

// recordUID is the identity of the record that has these parts.
func recordUID(occurrence int, parts ...string) uid {
	return uidOf(appendParts(make([]byte, 0, partsRoom), domainRecord, occurrence, parts...))
}

// uidOf is the identity that the parts of a record, as [appendParts] writes them, are hashed to.
func uidOf(parts []byte) uid {
	sum := sha256.Sum256(parts)
	return uid(sum[:16])
}

// uidLen is the length of an encoded uid.
const uidLen = 36

// String is the value of log.record.uid.
func (u uid) String() string {
	b := u.encoded()
	return string(b[:])
}

// encoded encodes the uid like a UUID.
func (u uid) encoded() (b [uidLen]byte) {
	hex.Encode(b[0:8], u[0:4])
	b[8] = '-'
	hex.Encode(b[9:13], u[4:6])
	b[13] = '-'
	hex.Encode(b[14:18], u[6:8])
	b[18] = '-'
	hex.Encode(b[19:23], u[8:10])
	b[23] = '-'
	hex.Encode(b[24:36], u[10:16])
	return b
}
