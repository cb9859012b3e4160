package codex_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTarget(t *testing.T) {
	for _, tc := range []struct{ name, arguments, want string }{
		{"exec_command", `{"cmd":"go test ./..."}`, "go test ./..."},
		{"exec_command", `{"command":["bash","-lc","go test"]}`, "go test"},
		{"exec_command", `{"cmd":"unfinished`, ""},
		{"exec_command", `{"cmd":"a"} {"cmd":"b"}`, ""},
		{"exec_command", `"cmd"`, ""},
		{"exec_command", `{"cmd":null,"command":"ls"}`, "ls"},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n"]}`, "apply_patch *** Begin Patch\n"},
		{"shell", `{"command":["/bin/bash","-lc","a 'b'"]}`, "a 'b'"},
		{"shell", `{"command":["bash","-c","a"]}`, "a"},
		{"shell", `{"command":["python","-lc","a"]}`, "python -lc a"},
		{"shell", `{"command":[1,null,{"a":"b"},"c"]}`, "c"},
		{"shell", `{"command":[]}`, ""},
		{"shell", `{"path":"no other field steps in"}`, ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Move to: x\n*** Add File: a b.txt\r\n+x\n*** Update File: c\n"}`, "a b.txt"},
		{"apply_patch", `{"input":"nothing of a patch"}`, ""},
		{"update_plan", `{"plan":[{"step":"a","status":"completed"},{"status":"in_progress","step":"b"}]}`, "b"},
		{"update_plan", `{"plan":[7,{"step":"a","status":"pending"}]}`, ""},
		{"write_stdin", `{"session_id":1,"chars":"y\n"}`, ""},
		{"close_agent", `{"target":"x","message":"y"}`, ""},
		{"create_goal", `{"objective":"tidy"}`, "tidy"},
		{"Grep", `{"pattern":"Total","path":"."}`, "Total"},
		{"custom", `{"path":null,"command":"","prompt":"p"}`, "p"},
		{"custom", `{"command":["ls","-l"]}`, "ls -l"},
		{"custom", `{"why":"no known field"}`, ""},
	} {
		out := all(t, functionCall("c1", tc.name, tc.arguments))
		require.Len(t, out, 1)
		assert.Equal(t, tc.want, out[0].Tool.Target, "%s %s", tc.name, tc.arguments)
	}
}

func TestQuotedCommand(t *testing.T) {
	for command, want := range map[string]string{
		`/bin/bash -lc 'go test ./...'`:             "go test ./...",
		`bash -lc ls`:                               "ls",
		`/usr/bin/zsh -lc "echo \"\$HOME\" 'x' \n"`: `echo "$HOME" 'x' \n`,
		`bash -lc 'it'\''s'`:                        "it's",
		`bash -lc 'it'"'"'s "so"'`:                  `it's "so"`,
		`bash -lc a\ b`:                             "a b",
		`bash -lc 'one' two`:                        `bash -lc 'one' two`,
		`bash -lc 'open`:                            `bash -lc 'open`,
		`bash -lc "open`:                            `bash -lc "open`,
		`bash -lc open\`:                            `bash -lc open\`,
		`echo bash -lc x`:                           "echo bash -lc x",
		`sleep 99`:                                  "sleep 99",
		``:                                          "",
	} {
		out := all(t, fmt.Sprintf(`{"type":"item.started","item":{"id":"i","type":"command_execution","command":%s}}`, quote(command)))
		require.Len(t, out, 1)
		assert.Equal(t, want, out[0].Tool.Target, command)
	}
}

func TestServer(t *testing.T) {
	for _, tc := range []struct{ name, namespace, want string }{
		{"add", "mcp__tally", "tally"},
		{"add", "mcp__tally__", "tally"},
		{"add", "mcp__my_tally__", "my_tally"},
		{"mcp__my_tally__add__up", "", "my_tally"},
		{"spawn_agent", "multi_agent_v1", ""},
		{"exec_command", "", ""},
	} {
		out := all(t, response(fmt.Sprintf(`{"type":"function_call","call_id":"c","name":%q,"namespace":%q,"arguments":"{\"cmd\":\"x\"}"}`, tc.name, tc.namespace)))
		require.Len(t, out, 1)
		assert.Equal(t, tc.want, out[0].Tool.Server, "%s in %q", tc.name, tc.namespace)
		assert.Equal(t, tc.name, out[0].Tool.Name)
	}
}

func TestInput(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"cmd": "ls"}`: `{"cmd": "ls"}`,
		`{"cmd": "l`:    `"{\"cmd\": \"l"`,
		``:              `""`,
	} {
		assert.Equal(t, want, string(all(t, functionCall("c1", "exec_command", arguments))[0].Tool.Input))
	}
	script := all(t, response(`{"type":"custom_tool_call","call_id":"c","name":"exec","input":"text(1);\n"}`))
	assert.Equal(t, `"text(1);\n"`, string(script[0].Tool.Input), "always JSON, also where it is text")
	assert.Equal(t, "text(1);\n", script[0].Tool.Target)
}

func TestFirstPath(t *testing.T) {
	for changes, want := range map[string]string{
		`[{"kind":"add","path":"/a"},{"path":"/b"}]`: "/a",
		`{"/b\"":{"type":"add"},"/a":{}}`:            `/b"`,
		`[]`:                                         "",
		`{}`:                                         "",
		`[7]`:                                        "",
		`null`:                                       "",
	} {
		out := all(t, `{"type":"item.completed","item":{"id":"i","type":"file_change","changes":`+changes+`,"status":"completed"}}`)
		assert.Equal(t, want, out[0].Tool.Target, changes)
	}
}
