package batch

import (
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// shortest is the length in bytes below which values are not cut. It keeps IDs, names and timestamps whole.
const shortest = 256

// cutResult is the result of cutting an element.
type cutResult uint8

const (
	cutNone  cutResult = iota // no value can be shortened
	cutFirst                  // it was cut for the first time
	cutAgain                  // it had been cut before
)

// value is a text or bytes that can be cut.
type value struct {
	length int
	cut    func(length int)
}

// cutSpan shortens attributes and status message of the only span of td.
func cutSpan(td ptrace.Traces, size int, mark string) cutResult {
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	longest := func() (v value) {
		v.ofMap(span.Attributes())
		for _, event := range span.Events().All() {
			v.ofMap(event.Attributes())
		}
		message := span.Status().Message()
		v.consider(len(message), func(n int) { span.Status().SetMessage(cutText(message, n)) })
		return v
	}
	return cut(span.Attributes(), mark, longest, func() int { return sizeOfTraces(td) - size })
}

// cutRecord shortens body and attributes of the only log record of ld.
func cutRecord(ld plog.Logs, size int, mark string) cutResult {
	lr := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	longest := func() (v value) {
		v.of(lr.Body())
		v.ofMap(lr.Attributes())
		return v
	}
	return cut(lr.Attributes(), mark, longest, func() int { return sizeOfLogs(ld) - size })
}

// cut shortens the longest value repeatedly until tooMuch returns no excess.
func cut(attributes pcommon.Map, mark string, longest func() value, tooMuch func() int) cutResult {
	if longest().length <= shortest {
		return cutNone
	}
	result := cutFirst
	if v, marked := attributes.Get(mark); marked && v.Bool() {
		result = cutAgain
	}
	if mark != "" {
		attributes.PutBool(mark, true)
	}
	for {
		excess, v := tooMuch(), longest()
		if excess <= 0 || v.length <= shortest {
			return result
		}
		v.cut(max(shortest, v.length-excess))
	}
}

// consider replaces the value by a longer one.
func (v *value) consider(length int, cut func(int)) {
	if length > v.length {
		*v = value{length, cut}
	}
}

func (v *value) ofMap(m pcommon.Map) {
	for _, one := range m.All() {
		v.of(one)
	}
}

func (v *value) of(one pcommon.Value) {
	switch one.Type() {
	case pcommon.ValueTypeStr:
		v.consider(len(one.Str()), func(n int) { one.SetStr(cutText(one.Str(), n)) })
	case pcommon.ValueTypeBytes:
		v.consider(one.Bytes().Len(), func(n int) {
			raw := one.Bytes().AsRaw()
			one.SetEmptyBytes().FromRaw(raw[:n])
		})
	case pcommon.ValueTypeMap:
		v.ofMap(one.Map())
	case pcommon.ValueTypeSlice:
		for _, element := range one.Slice().All() {
			v.of(element)
		}
	}
}

// cutText cuts a text, never inside a rune.
func cutText(s string, length int) string {
	for length > 0 && !utf8.RuneStart(s[length]) {
		length--
	}
	return s[:length]
}
