package telemetry

import (
	"bytes"
	"crypto/sha256"
	"strconv"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"
)

// Raw hands lines on as they are, each as a record tailspan.raw whose body is the line: a string, or bytes where the line
// is no UTF-8, since a string would have to be repaired, or has a NUL byte, which not every backend takes in a string.
// Several come under one position where they waited for the provider to be told.
func (s *Stream) Raw(line Line, lines [][]byte) {
	for i, data := range lines {
		s.raw(line, i, data)
	}
}

// RawCopy hands on a line that is understood too, marked as a copy.
func (s *Stream) RawCopy(line Line, data []byte) {
	if lr, ok := s.raw(line, -1, data); ok {
		lr.Attributes().PutBool(AttrRawCopy, true)
	}
}

func (s *Stream) raw(line Line, index int, data []byte) (lr plog.LogRecord, ok bool) {
	if line.Silent {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.resource.numbers.next()
		return lr, false
	}
	at := s.fileTime()
	if line.Live || !at.known() {
		at = moment{at: line.Arrival, source: TimeSourceArrival}
	}
	s.mu.Lock() // a run that another stream releases may change the resource
	defer s.mu.Unlock()
	lr = s.own().record(s.resource)
	lr.SetEventName(EventNameRaw)
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		lr.Body().SetStr(string(data))
	} else {
		lr.Body().SetEmptyBytes().FromRaw(data)
	}
	lr.SetSeverityNumber(plog.SeverityNumberInfo)
	lr.SetSeverityText("INFO")
	s.stamp(lr, at, s.registry.settings.Now())
	lr.Attributes().PutInt(AttrSequence, s.resource.numbers.next())
	lr.Attributes().PutStr(AttrLogRecordUID, s.rawUID(line, index, data))
	return lr, true
}

// rawUID is the identity of a line as it is: what its stream begins with, whose work that is, where the line stands, and
// what it holds.
func (s *Stream) rawUID(line Line, index int, data []byte) string {
	pipeline, step, _ := keysOf(s.resource)
	sum := sha256.Sum256(data)
	return recordUID(index, s.settings.Agent.Provider, s.settings.Fingerprint, pipeline.name, pipeline.runID, step.name, step.runID,
		strconv.FormatInt(line.Offset, 10), string(sum[:])).String()
}
