package tail_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

func TestNewNamesWhatIsWrong(t *testing.T) {
	_, err := tail.New(tail.Settings{
		Include: []string{"ok/*", "a[", ""}, Exclude: []string{"{b"}, MaxLineSize: -1, StartAt: 7,
	}, filestest.NewSink())
	assert.EqualError(t, err, `include: invalid glob "a[": syntax error in pattern
include: empty glob
exclude: invalid glob "{b": syntax error in pattern
start_at must be beginning or end, got 7
max_line_size must not be negative, got -1`)
	_, err = tail.New(tail.Settings{}, filestest.NewSink())
	assert.EqualError(t, err, "include must name at least one glob")
	_, err = tail.New(tail.Settings{Include: []string{"*"}}, nil)
	assert.EqualError(t, err, "handler must not be nil")
}
