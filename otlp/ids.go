package otlp

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// IDs are truncated SHA-256 hashes of a domain and the length-prefixed parts: the same input gives the same ID on every machine
// and in every version that keeps the domain. Domains separate, for example, the chat span and the tool span of one item.
const (
	domainTrace     = "trace"
	DomainRun       = "run"
	DomainChat      = "chat"
	domainTool      = "tool"
	DomainAgent     = "agent"      // a sub-agent by its own ID
	DomainCallAgent = "call_agent" // a sub-agent without an ID, by the call that started it
	DomainPipeline  = "pipeline"
	DomainTask      = "task"
	DomainProcess   = "process" // a program that wrote no run
	DomainRecord    = "record"
	DomainContent   = "content" // the content of an item
	DomainThing     = "thing"   // an item that several streams may describe
	domainStream    = "stream"
)

// PartsRoom is room for the hashed parts of most IDs, in bytes.
const PartsRoom = 512

// Hash hashes the parts.
func Hash(domain string, occurrence int, parts ...string) [sha256.Size]byte {
	size := len(domain) + 4*(len(parts)+1) + 8
	for _, p := range parts {
		size += len(p)
	}
	if size <= PartsRoom {
		return sha256.Sum256(AppendParts(make([]byte, 0, PartsRoom), domain, occurrence, parts...)) // on the stack
	}
	buf, _ := longParts.Get().(*[]byte)
	defer longParts.Put(buf)
	*buf = AppendParts((*buf)[:0], domain, occurrence, parts...)
	return sha256.Sum256(*buf)
}

// longParts are buffers for the parts of calls with long arguments, which would be a thirtieth of all garbage.
var longParts = sync.Pool{New: func() any { return new([]byte) }}

// AppendParts appends the hashed parts of an ID. Length prefixes keep ("ab","c") and ("a","bc") apart.
func AppendParts(buf []byte, domain string, occurrence int, parts ...string) []byte {
	buf = AppendPart(buf, domain)
	for _, p := range parts {
		buf = AppendPart(buf, p)
	}
	return binary.BigEndian.AppendUint64(buf, uint64(occurrence))
}

func AppendPart(buf []byte, part string) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(part)))
	return append(buf, part...)
}

// TraceID and SpanID are the IDs of OTLP.
type (
	TraceID = pcommon.TraceID
	SpanID  = pcommon.SpanID
)

// NewTraceID returns the trace ID of the parts. It never returns the invalid ID of all zeros.
func NewTraceID(occurrence int, parts ...string) TraceID {
	sum := Hash(domainTrace, occurrence, parts...)
	id := TraceID(sum[:16])
	if id.IsEmpty() {
		id[15] = 1
	}
	return id
}

// NewSpanID returns the span ID of the parts. It never returns the invalid ID of all zeros.
func NewSpanID(domain string, occurrence int, parts ...string) SpanID {
	sum := Hash(domain, occurrence, parts...)
	return firstSpanID(&sum)
}

// firstSpanID returns the first bytes of a hash as a span ID.
func firstSpanID(sum *[sha256.Size]byte) SpanID {
	id := SpanID(sum[:8])
	if id.IsEmpty() {
		id[7] = 1
	}
	return id
}

// CallIDs returns the span ID of a call and the hash of its content, which repeats of the call share. For first
// occurrences, that is for nearly all calls, it computes only one hash.
func CallIDs(occurrence int, parts ...string) (id SpanID, content [HashBytes]byte) {
	sum := Hash(domainTool, 0, parts...)
	copy(content[:], sum[len(id):])
	if occurrence > 0 {
		return NewSpanID(domainTool, occurrence, parts...), content
	}
	return firstSpanID(&sum), content
}

// UID identifies a log record.
type UID [16]byte

// RecordUID returns the UID of the record with these parts.
func RecordUID(occurrence int, parts ...string) UID {
	return UIDOf(AppendParts(make([]byte, 0, PartsRoom), DomainRecord, occurrence, parts...))
}

// UIDOf returns the UID of a record from its parts as [AppendParts] writes them.
func UIDOf(parts []byte) UID {
	sum := sha256.Sum256(parts)
	return UID(sum[:16])
}

// uidLen is the length of an encoded UID.
const uidLen = 36

// String returns the value of log.record.uid.
func (u UID) String() string {
	b := u.encoded()
	return string(b[:])
}

// encoded encodes the UID like a UUID.
func (u UID) encoded() (b [uidLen]byte) {
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

// HashBytes is the length of a content hash.
const HashBytes = 8

// instanceNamespace is the namespace that the semantic conventions define for name-based service.instance.id values
// (v1.44.0): 4d63009a-8d0f-11ee-aad7-4c796ed8e320.
var instanceNamespace = [16]byte{0x4d, 0x63, 0x00, 0x9a, 0x8d, 0x0f, 0x11, 0xee, 0xaa, 0xd7, 0x4c, 0x79, 0x6e, 0xd8, 0xe3, 0x20}

// NewInstanceID returns a service.instance.id: a UUID of the names (version 5) or, without names, a random UUID (version 4).
func NewInstanceID(names ...string) string {
	var id [16]byte
	version := byte(4)
	if len(names) == 0 {
		_, _ = rand.Read(id[:]) // it never fails
	} else {
		buf := instanceNamespace[:]
		for _, name := range names {
			buf = AppendPart(buf, name)
		}
		sum := sha1.Sum(buf)
		copy(id[:], sum[:])
		version = 5
	}
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// sequencer numbers the records of one stream in the order of its events, from 1. Records may reach a back end in any
// order (parallel senders, retries); the stream's ID and the number restore it.
//
// A number depends only on the stream's lines, so a replay yields the same numbers. A record that another stream
// exported first also has a number and leaves a gap.
type sequencer struct {
	stream string // value of [AttrStreamID]
	last   int64
}

// NewSequencer returns the sequencer of a stream. The ID may contain a path, so its hash is exported.
func NewSequencer(id string) *sequencer {
	sum := Hash(domainStream, 0, id)
	return &sequencer{stream: hex.EncodeToString(sum[:8])}
}

// next returns the number of the next record.
func (q *sequencer) next() int64 {
	q.last++
	return q.last
}

// SpanRef identifies a span.
type SpanRef struct {
	Trace TraceID
	Span  SpanID
}

// PipelineRef returns the span of a pipeline run.
func PipelineRef(name, runID string) SpanRef {
	return SpanRef{NewTraceID(0, "pipeline", name, runID), NewSpanID(DomainPipeline, 0, name, runID)}
}

// StepRef returns the span of a step in a pipeline run.
func StepRef(name, runID, task, taskRunID string) SpanRef {
	return SpanRef{PipelineRef(name, runID).Trace, NewSpanID(DomainTask, 0, name, runID, task, taskRunID)}
}

// TraceParent returns the span as a W3C traceparent (level 1), marked as sampled. It is the inverse of [ParseTraceParent].
func (s SpanRef) TraceParent() string {
	return "00-" + s.Trace.String() + "-" + s.Span.String() + "-01"
}
