package codex_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestDetect checks that each fixture is detected by its lines up to the third object, and no fixture of another
// provider by any of its lines.
func TestDetect(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		own := filepath.Base(filepath.Dir(file)) == codex.Name
		lines := parsertest.Lines(t, file)
		if own {
			lines = lines[:min(3, len(lines))]
		}
		assert.Equal(t, own, codex.Detect(lines), file)
	}
}

func TestDetectLines(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"thread.started","thread_id":"t"}`:                                                            true,
		`{"type":"thread.started"}`:                                                                            false,
		`{"type":"session.created","session_id":"s"}`:                                                          true,
		`{"type":"session.created","event_id":"e","session":{"id":"s"},"session_id":"s"}`:                      false,
		`{"type":"turn.started"}`:                                                                              true,
		`{"type":"turn.started","turn":{"id":"t"}}`:                                                            false,
		`{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"x"}}`:                   true,
		`{"type":"item.completed","item":{"type":"message"}}`:                                                  false,
		`{"type":"turn.completed","usage":{"input_tokens":1}}`:                                                 true,
		`{"type":"error","message":"no"}`:                                                                      false,
		`{"id":"0","msg":{"type":"task_started"}}`:                                                             true,
		`{"id":0,"msg":{"type":"task_started"}}`:                                                               false,
		`{"msg":"words","level":30}`:                                                                           false,
		`{"model":"m","workdir":"/w","sandbox":"read-only"}`:                                                   true,
		`{"model":"m","sandbox":"read-only"}`:                                                                  false,
		`{"prompt":"p"}`:                                                                                       false,
		`{"id":"i","timestamp":"2026-03-02T12:00:00Z","instructions":null}`:                                    true,
		`{"id":"i","timestamp":"2026-03-02T12:00:00Z"}`:                                                        false,
		`{"record_type":"state"}`:                                                                              true,
		`{"type":"message","id":"msg_1","role":"assistant","content":[]}`:                                      false,
		`{"timestamp":"2026-03-02T12:00:00Z","type":"response_item","payload":{"type":"message"}}`:             true,
		`{"timestamp":"2026-03-02T12:00:00Z","type":"response_item","payload":"x"}`:                            false,
		`{"type":"event_msg","payload":{"type":"token_count"}}`:                                                false,
		`{"timestamp":"2026-03-02T12:00:00Z","type":"session_meta","payload":{"id":"i","cli_version":"0.58"}}`: true,
		`{"timestamp":"2026-03-02T12:00:00Z","type":"turn_context","payload":{"cwd":"/w","model":"m"}}`:        true,
		`{"timestamp":"2026-03-02T12:00:00Z","type":"webhook","payload":{"id":"i"}}`:                           false,
		`[{"type":"turn.started"}]`:                                                                            false,
		`words`:                                                                                                false,
	} {
		assert.Equal(t, want, codex.Detect([][]byte{[]byte(line)}), line)
	}
	assert.True(t, codex.Detect([][]byte{[]byte("Reading additional input from stdin..."), []byte("\xef\xbb\xbf" + strings.Repeat(" ", 3) + `{"type":"turn.started"}`)}))
}
