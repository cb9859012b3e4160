package opencode_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

// sections are the tables of docs/formats/opencode.md that list types, and a line that contains one.
var sections = map[string]string{
	"Lines of the stream":                  `{"type":%,"timestamp":1772445600000,"sessionID":"ses_1","part":{"id":"prt_1","messageID":"msg_1","type":"text"}}`,
	"Parts":                                `{"table":"part","id":"prt_1","message_id":"msg_1","session_id":"ses_1","data":{"type":%}}`,
	"Tables":                               `{"table":%,"id":"x","data":{"type":"text"},"type":"session.idle"}`,
	"Events of the log and the server":     `{"type":%,"properties":{}}`,
	"Events of the log and the server\x00": `{"table":"event","id":"evt_1","type":%,"data":{}}`,
}

// TestDocsListEveryType checks that the parser knows each type in the tables, that no table lacks one that the
// parser's sources name, and that all others are counted as unknown.
func TestDocsListEveryType(t *testing.T) {
	inDocs := map[string]bool{"user": true, "assistant": true} // see TestDocsListEveryRole
	for section, line := range sections {
		for name := range parsertest.Table(t, opencode.Name, strings.TrimSuffix(section, "\x00"), parsertest.Becomes...) {
			inDocs[name] = true
			assert.NotEqual(t, events.LineUnknownType, status(line, name), "%s: the parser does not know %s", section, name)
		}
		assert.Equal(t, events.LineUnknownType, status(line, "hologram"), section)
	}
	for _, file := range []string{"stream.go", "message.go", "store.go", "server.go"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`"([a-z_0-9]+(?:[.\-_][a-z0-9_\-]+)*)"`).FindAllStringSubmatch(string(source), -1) {
			if inDocs[m[1]] || !knownSomewhere(m[1]) {
				continue
			}
			t.Errorf("%s knows %q, and docs/formats/opencode.md does not mention it", file, m[1])
		}
	}
}

// knownSomewhere reports whether a word is a type in any form.
func knownSomewhere(word string) bool {
	for _, line := range sections {
		if status(line, word) != events.LineUnknownType {
			return true
		}
	}
	return false
}

func status(line, kind string) events.LineStatus {
	quoted, _ := json.Marshal(kind)
	p := newSource()
	p.ParseEvents([]byte(strings.Replace(line, "%", string(quoted), 1)))
	return p.LineStatus()
}

// TestDocsListEveryRole checks the table of messages in the same way: a role determines the kind of a part's text.
func TestDocsListEveryRole(t *testing.T) {
	want := map[string]events.Kind{"user": events.KindPrompt, "assistant": events.KindText}
	roles := parsertest.Table(t, opencode.Name, "Messages and sessions", parsertest.Becomes...)
	require.Len(t, roles, len(want))
	for role := range roles {
		p := newSource()
		p.ParseEvents([]byte(`{"table":"message","id":"msg_1","session_id":"ses_1","data":{"role":"` + role + `"}}`))
		out := p.ParseEvents([]byte(`{"table":"part","id":"prt_1","message_id":"msg_1","session_id":"ses_1","data":{"type":"text","text":"x"}}`))
		require.Len(t, out, 1)
		assert.Equal(t, want[role], out[0].Kind, role)
	}
}
