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
