package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/session/pipeline"
)

// TestPlainTextOnRequest: text that is no record is quoted only for those who ask for it.
func TestPlainTextOnRequest(t *testing.T) {
	for _, plain := range []bool{false, true} {
		e, err := pipeline.NewEvents(pipeline.EventSettings{Provider: "claude", Plain: plain})
		require.NoError(t, err)
		e.ParseEvents([]byte("FATAL: out of credits"))
		want := pipeline.PlainText{}
		if plain {
			want = pipeline.PlainText{Lines: 1, Last: "FATAL: out of credits", Ends: true}
		}
		assert.Equal(t, want, e.PlainText())
		assert.Len(t, e.Plain(), 1, "the lines themselves")
	}
}

// TestKeyInText checks that a private key is followed over all lines that are no records, whatever reads them and how often: those that
// pass before the provider is known, plain text, and replayed lines.
func TestKeyInText(t *testing.T) {
	const (
		begin  = "-----BEGIN PRIVATE KEY-----"
		part   = "MadeUp0123456789MadeUp0123456789MadeUp0123456789"
		marker = "[redacted:private-key]"
		record = `{"type":"system","subtype":"init","session_id":"a","cwd":"/","tools":[],"model":"m"}`
	)
	open := func(t *testing.T, provider string) *pipeline.Events {
		e, err := pipeline.NewEvents(pipeline.EventSettings{Provider: provider, Redactor: redactor(t), Plain: true})
		require.NoError(t, err)
		return e
	}
	texts := func(lines [][]byte) (texts []string) {
		for _, line := range lines {
			texts = append(texts, string(line))
		}
		return texts
	}
	for _, reads := range []int{0, 1, 2} {
		e := open(t, "auto")
		e.ParseEvents([]byte(begin))
		e.ParseEvents([]byte(part))
		e.Quiet()
		for range reads {
			assert.Equal(t, []string{begin, marker}, texts(e.Raw()))
		}
		e.ParseEvents([]byte(record))
		assert.Empty(t, e.Plain())
		for range 6 {
			e.ParseEvents([]byte(part))
			for range reads {
				assert.Equal(t, []string{marker}, texts(e.Plain()))
				assert.Equal(t, marker, string(e.Words()))
				assert.Empty(t, e.Raw())
			}
			assert.Equal(t, marker, e.PlainText().Last)
		}
		e.ParseEvents([]byte("that is all"))
		assert.Equal(t, "that is all", e.PlainText().Last)
		assert.Equal(t, []string{"that is all"}, texts(e.Plain()))
		e.Flush()
		assert.Empty(t, e.Plain())
	}
	e := open(t, "claude")
	for _, line := range []string{"Error: refused:", "  " + begin, "  " + part, "  " + part} {
		e.ParseEvents([]byte(line))
		assert.Equal(t, "Error: refused:", e.PlainText().Last, "indented lines continue it")
	}
	e = open(t, "claude")
	e.Reparse([]byte(begin))
	e.Reparse([]byte(part))
	assert.Empty(t, e.Plain())
	e.ParseEvents([]byte(part))
	assert.Equal(t, []string{marker}, texts(e.Plain()))
}
