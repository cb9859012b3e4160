package otlpjson_test

import (
	"strings"
	"testing"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// FuzzRead checks, for any bytes: Read, Check, Summarize and the table do not panic and do end; no more is counted than was
// read; and a table contains no control byte except newlines.
func FuzzRead(f *testing.F) {
	f.Add("")
	f.Add(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":"02","parentSpanId":"02"}]}]}]}`)
	f.Add(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"a\u001b[1m"}]}]}]}` + "\n{}")
	f.Add(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":17,"body":{"stringValue":"x"}}]}]}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		d, err := otlpjson.Read(strings.NewReader(in))
		if err != nil {
			return
		}
		spans := 0
		for _, request := range d.Traces {
			spans += request.SpanCount()
		}
		records := 0
		for _, request := range d.Logs {
			records += request.LogRecordCount()
		}
		sum := otlpjson.Summarize(d)
		if sum.Spans > spans || sum.Records != records {
			t.Fatalf("input %q: counted %d spans and %d records, read %d and %d", in, sum.Spans, sum.Records, spans, records)
		}
		if problems := otlpjson.Check(d.Traces...); spans > 0 && sum.Spans < spans && len(problems) == 0 {
			t.Fatalf("input %q: %d of %d spans counted and no problem reported", in, sum.Spans, spans)
		}
		var out strings.Builder
		if _, err := sum.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
			t.Fatalf("input %q: control byte at %d of the table %q", in, i, out.String())
		}
	})
}
