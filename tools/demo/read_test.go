package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestCountLines(t *testing.T) {
	tests := []struct {
		name, in string
		want     int
	}{
		{name: "empty"},
		{name: "lines", in: "{}\n{}\n", want: 2},
		{name: "blank lines do not count", in: "\n{}\n \r\n{}\n\n", want: 2},
		{name: "a line need not be JSON", in: "warning: x\n", want: 1},
		{name: "a whole object without newline", in: "{}\n{\"a\":1}", want: 2},
		{name: "half an object without newline", in: "{}\n{\"a\":", want: 1},
		{name: "a line longer than any buffer", in: strings.Repeat("x", 1<<17) + "\n", want: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := countLines(strings.NewReader(tt.in))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	broken := errors.New("disk on fire")
	_, err := countLines(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

func TestJaegerCompare(t *testing.T) {
	want := map[string]string{"01": "", "02": "01"}
	tests := []struct{ name, answer, err string }{
		{name: "the same", answer: `{"data":[{"spans":[{"spanID":"02","references":[{"refType":"FOLLOWS_FROM","spanID":"07"},{"refType":"CHILD_OF","spanID":"01"}]},{"spanID":"01"}]}]}`},
		{name: "a span is missing", answer: `{"data":[{"spans":[{"spanID":"01"}]}]}`, err: "1 spans there"},
		{name: "another span", answer: `{"data":[{"spans":[{"spanID":"01"},{"spanID":"03"}]}]}`, err: `span 02: parent "" there, "01" sent`},
		{name: "no parent", answer: `{"data":[{"spans":[{"spanID":"01"},{"spanID":"02"}]}]}`, err: `span 02: parent "" there, "01" sent`},
		{name: "nothing", answer: `{"data":null}`, err: "0 spans there"},
		{name: "no JSON", answer: `<html>`, err: "parse trace"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/api/traces/0a000000000000000000000000000000", r.URL.Path)
				_, err := w.Write([]byte(tt.answer))
				assert.NoError(t, err)
			}))
			defer server.Close()
			err := (&jaegerServer{address: server.URL}).compare(t.Context(), pcommon.TraceID{10}, want)
			if tt.err == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.err)
		})
	}
}
