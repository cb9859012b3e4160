package agentstreamreceiver_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
)

// samples is the folder of the fixtures.
const samples = "../../testdata"

// recordsNamed counts the records with one event name.
func (r *rig) recordsNamed(name string) (n int) {
	for _, lr := range r.records() {
		if lr.EventName() == name {
			n++
		}
	}
	return n
}

// uids returns the IDs of all records, sorted, and checks that none occurs twice. It omits records that are exported only
// live.
func (r *rig) uids() []string {
	r.t.Helper()
	var list []string
	for _, lr := range r.records() {
		if name := lr.EventName(); name == "tailspan.step_started" || name == "tailspan.progress" || name == "tailspan.run_end" {
			continue
		}
		uid, ok := lr.Attributes().Get(otlp.AttrLogRecordUID)
		require.True(r.t, ok)
		list = append(list, lr.EventName()+" "+uid.Str())
	}
	slices.Sort(list)
	assert.Equal(r.t, slices.Compact(slices.Clone(list)), list, "a record twice")
	return list
}

// spanIDs returns name, ID and parent of all spans, sorted, and checks that none occurs twice.
func (r *rig) spanIDs() []string {
	r.t.Helper()
	var list []string
	for _, s := range r.spans() {
		list = append(list, s.Name()+" "+s.TraceID().String()+" "+s.SpanID().String()+" under "+s.ParentSpanID().String())
	}
	slices.Sort(list)
	assert.Equal(r.t, slices.Compact(slices.Clone(list)), list, "a span twice")
	return list
}

// openCode stands for OpenCode with its database.
type openCode struct {
	t    *testing.T
	db   *sql.DB
	made int64 // when the last row was created, in the session's own time
	last int64 // when it was written: all times differ, so that each row is counted by one process
}

func newOpenCode(t *testing.T, path string) *openCode {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(off)&_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	db.SetMaxOpenConns(1) // which transactions belong to
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	_, err = db.Exec(`
		CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, agent text, model text, time_created integer, time_updated integer);
		CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
		CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);
		CREATE TABLE credential (id text PRIMARY KEY, value text);
		INSERT INTO credential VALUES ('c', 'made-up-secret')`)
	require.NoError(t, err)
	return &openCode{t: t, db: db}
}

// at begins or ends a transaction.
func (o *openCode) at(statement string) {
	o.t.Helper()
	_, err := o.db.Exec(statement)
	require.NoError(o.t, err)
}

// logged replays the event log of a session, one row of the log after another, now.
func (o *openCode) logged(line string) {
	o.t.Helper()
	var row struct{ Type, Data string }
	require.NoError(o.t, json.Unmarshal([]byte(line), &row))
	var change struct {
		Info, Part map[string]json.RawMessage
	}
	require.NoError(o.t, json.Unmarshal([]byte(row.Data), &change))
	now := max(time.Now().UnixMilli(), o.last+1)
	o.last = now
	o.made++
	switch kind, _, _ := strings.Cut(strings.TrimPrefix(row.Type, "message."), "."); {
	case strings.HasPrefix(row.Type, "session."):
		i := change.Info
		var made struct{ Created int64 }
		require.NoError(o.t, json.Unmarshal(i["time"], &made))
		o.made = max(o.made, made.Created)
		o.upsert("session", "id, parent_id, directory, title, version, agent, model, time_created, time_updated",
			text(i["id"]), text(i["parentID"]), text(i["directory"]), text(i["title"]), text(i["version"]), text(i["agent"]), nullable(i["model"]), made.Created, now)
	case kind == "part":
		p := change.Part
		o.upsert("part", "id, message_id, session_id, time_created, time_updated, data", text(p["id"]), text(p["messageID"]), text(p["sessionID"]), o.made, now, rest(o.t, p))
	default:
		i := change.Info
		o.upsert("message", "id, session_id, time_created, time_updated, data", text(i["id"]), text(i["sessionID"]), o.made, now, rest(o.t, i))
	}
}

func (o *openCode) upsert(table, columns string, values ...any) {
	o.t.Helper()
	marks := strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")
	names := strings.Split(columns, ", ")
	for i, name := range names {
		names[i] = name + " = excluded." + name
	}
	set := slices.DeleteFunc(names, func(s string) bool { return strings.HasPrefix(s, "time_created") })
	_, err := o.db.Exec("INSERT INTO "+table+" ("+columns+") VALUES ("+marks+") ON CONFLICT DO UPDATE SET "+strings.Join(set, ", "), values...)
	require.NoError(o.t, err)
}

func text(raw json.RawMessage) any {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return nil
	}
	return *s
}

func nullable(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// rest returns the content of a row's data: everything that has no separate column.
func rest(t *testing.T, object map[string]json.RawMessage) string {
	t.Helper()
	for _, column := range []string{"id", "sessionID", "messageID"} {
		if column != "messageID" || object["type"] != nil {
			delete(object, column)
		}
	}
	b, err := json.Marshal(object)
	require.NoError(t, err)
	return string(b)
}

// TestGrowingDatabase follows a database through each state in the event log of a real session, including sub-agents: every
// event is exported once, with the IDs that reading the finished database yields.
func TestGrowingDatabase(t *testing.T) {
	log, err := os.ReadFile(filepath.Join(samples, "opencode", "subagent.log.jsonl"))
	require.NoError(t, err)
	steps := strings.Split(strings.TrimSpace(string(log)), "\n")
	home := t.TempDir()
	path := filepath.Join(home, "opencode.db")
	agent := newOpenCode(t, path)
	cfg := configFor(filepath.Join(home, "**"))
	cfg.Stream.PollInterval = time.Millisecond
	cfg.Stream.ForceFlushPeriod = 10 * time.Millisecond
	live := start(t, cfg, nil)
	for i, step := range steps {
		before := live.metric("otelcol_receiver_agent_stream_lines", "provider", "opencode")
		agent.logged(step)
		if i%9 == 0 { // and wait until it is seen
			require.Eventually(t, func() bool {
				return live.metric("otelcol_receiver_agent_stream_lines", "provider", "opencode") > before
			}, wait, tick, "step %d", i)
		}
	}
	runs := func(r *rig) func() bool {
		return func() bool {
			return r.recordsNamed("tailspan.turn_done") == 3 && slices.Contains(r.spanNames(), "invoke_agent opencode")
		}
	}
	require.Eventually(t, runs(live), wait, tick)
	live.stop()

	again := start(t, cfg, nil)
	require.Eventually(t, runs(again), wait, tick)
	again.stop()
	assert.Equal(t, again.uids(), live.uids())
	assert.Equal(t, again.spanIDs(), live.spanIDs())

	dump := start(t, configFor(filepath.Join(samples, "opencode", "subagent.session.jsonl")), nil)
	require.Eventually(t, runs(dump), wait, tick)
	dump.stop()
	assert.Equal(t, dump.uids(), live.uids(), "a dump of the same session exports the same")
	assert.Equal(t, dump.spanIDs(), live.spanIDs())
	for _, lr := range live.records() {
		assert.NotContains(t, lr.Body().AsString(), "secret")
	}
}

// TestRewrittenDocument follows a Gemini session that is rewritten with each message, half-written at times.
func TestRewrittenDocument(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(samples, "gemini", "parity-0.38.2.session.json"))
	require.NoError(t, err)
	var session map[string]json.RawMessage
	var messages []json.RawMessage
	require.NoError(t, json.Unmarshal(whole, &session))
	require.NoError(t, json.Unmarshal(session["messages"], &messages))
	require.Greater(t, len(messages), 3)
	home := t.TempDir()
	path := filepath.Join(home, "chats", "session-1.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	cfg := configFor(filepath.Join(home, "**"))
	cfg.Stream.PollInterval = time.Millisecond
	live := start(t, cfg, nil)
	bytesRead := func() int64 { return live.sum("otelcol_receiver_agent_stream_bytes") }
	for n := range messages {
		some, err := json.Marshal(messages[:n+1])
		require.NoError(t, err)
		session["messages"] = some
		state, err := json.MarshalIndent(session, "", "  ")
		require.NoError(t, err)
		before := bytesRead()
		require.NoError(t, os.WriteFile(path, state[:len(state)*2/3], 0o600))
		require.NoError(t, os.WriteFile(path, state, 0o600))
		require.Eventually(t, func() bool { return bytesRead() == before+int64(len(state)) }, wait, tick, "state %d, whole and once", n)
	}
	live.stop()
	assert.Zero(t, live.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", "malformed"))
	assert.EqualValues(t, len(messages), live.metric("otelcol_receiver_agent_stream_lines", "provider", "gemini"))

	once := start(t, configFor(filepath.Join(samples, "gemini", "parity-0.38.2.session.json")), nil)
	require.Eventually(t, func() bool { return len(once.texts()) == len(live.texts()) }, wait, tick)
	once.stop()
	assert.Equal(t, once.uids(), live.uids())
	assert.Equal(t, once.spanIDs(), live.spanIDs())
}

// TestDatabaseIsNoFileOfLines: an OpenCode database, and the files that SQLite keeps beside it, are not read as lines,
// whatever include matches; files with similar names are.
func TestDatabaseIsNoFileOfLines(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"opencode.db-wal", "opencode.db-shm", "opencode.db-journal", "opencode.dbx", "my-opencode.db"} {
		appendTo(t, filepath.Join(dir, name), name+"\n")
	}
	cfg := configFor(filepath.Join(dir, "*"))
	cfg.Stream.Provider = "none"
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return len(r.raw()) == 2 }, wait, tick)
	r.stop()
	assert.ElementsMatch(t, []string{"opencode.dbx", "my-opencode.db"}, r.raw())
}

// TestFolderOfDocuments reads the documents of a Gemini session and its sub-agent from where the CLI stores them: nothing in
// them links the two, only their folder does.
func TestFolderOfDocuments(t *testing.T) {
	home := t.TempDir()
	require.NoError(t, os.CopyFS(home, os.DirFS(filepath.Join(samples, "gemini", "families", "subagent-0.38.2"))))
	r := start(t, configFor(filepath.Join(home, "chats", "**", "*.json")), nil)
	require.Eventually(t, func() bool {
		return slices.Contains(r.spanNames(), "execute_tool codebase_investigator") && slices.Contains(r.spanNames(), "execute_tool grep_search")
	}, wait, tick)
	r.stop()
	parents := map[string]string{}
	names := map[string]string{}
	for _, s := range r.spans() {
		names[s.SpanID().String()] = s.Name()
	}
	for _, s := range r.spans() {
		parents[s.Name()] = names[s.ParentSpanID().String()]
	}
	assert.Equal(t, "execute_tool codebase_investigator", parents["invoke_agent codebase_investigator"])
	assert.Equal(t, "invoke_agent codebase_investigator", parents["execute_tool grep_search"])
	assert.Empty(t, otlpjson.Check(r.traces.AllTraces()...))
}

// TestFollowedTextComesBeforeItsCalls sees each state of a database: a text whose end is written after the call of its message
// began comes before that call.
func TestFollowedTextComesBeforeItsCalls(t *testing.T) {
	for _, name := range []string{"parity", "subagent", "killed"} {
		t.Run(name, func(t *testing.T) {
			log, err := os.ReadFile(filepath.Join(samples, "opencode", name+".log.jsonl"))
			require.NoError(t, err)
			home := t.TempDir()
			agent := newOpenCode(t, filepath.Join(home, "opencode.db"))
			cfg := configFor(filepath.Join(home, "**"))
			cfg.Stream.PollInterval = time.Millisecond
			live := start(t, cfg, nil)
			for step := range strings.SplitSeq(strings.TrimSpace(string(log)), "\n") {
				before := live.metric("otelcol_receiver_agent_stream_lines", "provider", "opencode")
				agent.logged(step)
				require.Eventually(t, func() bool {
					return live.metric("otelcol_receiver_agent_stream_lines", "provider", "opencode") > before
				}, wait, tick)
			}
			live.stop()
			called := map[string]bool{} // messages
			texts := 0
			for _, lr := range live.records() {
				message, ok := lr.Attributes().Get(otlp.AttrMessageID)
				switch {
				case !ok:
				case lr.EventName() == "tailspan.tool_use":
					called[message.Str()] = true
				case lr.EventName() == "tailspan.text":
					texts++
					assert.False(t, called[message.Str()], "%q comes after a call of its message", lr.Body().Str())
				}
			}
			assert.Positive(t, texts)
		})
	}
}

// TestKilledSessionOfADatabaseInUse: a session that was not written for long is closed at its end, with the tool that was
// running, although the database itself was written just now.
func TestKilledSessionOfADatabaseInUse(t *testing.T) {
	log, err := os.ReadFile(filepath.Join(samples, "opencode", "killed.log.jsonl"))
	require.NoError(t, err)
	home := t.TempDir()
	agent := newOpenCode(t, filepath.Join(home, "opencode.db"))
	for step := range strings.SplitSeq(strings.TrimSpace(string(log)), "\n") {
		agent.logged(step)
	}
	for _, table := range []string{"session", "message", "part"} {
		_, err := agent.db.Exec("UPDATE " + table + " SET time_updated = time_updated - 86400000")
		require.NoError(t, err)
	}
	r := start(t, configFor(filepath.Join(home, "**")), nil)
	require.Eventually(t, func() bool { return slices.Contains(r.spanNames(), "invoke_agent opencode") }, wait, tick)
	assert.Contains(t, r.spanNames(), "execute_tool bash", "the tool that was killed")
	for _, s := range r.spans() {
		if s.Name() == "invoke_agent opencode" {
			assert.Equal(t, "incomplete", s.Attributes().AsRaw()[otlp.AttrRunOutcome])
		}
	}
	r.stop()
}

// TestRefusedPromptOfADatabase: OpenCode stores no message for a prompt that it refuses, but has given the session its model. That is
// a run, however often the session was read before; a session that nobody has asked anything is none.
func TestRefusedPromptOfADatabase(t *testing.T) {
	home := t.TempDir()
	agent := newOpenCode(t, filepath.Join(home, "opencode.db"))
	cfg := configFor(filepath.Join(home, "**"))
	cfg.Stream.PollInterval, cfg.Stream.IdleClose = time.Millisecond, 50*time.Millisecond
	now := strconv.FormatInt(time.Now().UnixMilli(), 10)
	const made = "INSERT INTO session (id, directory, title, version, time_created, time_updated) VALUES "
	agent.at(made + "('ses_1', '/w', 'New session', '1.18.33', " + now + ", " + now + "), ('ses_2', '/w', 'New session', '1.18.33', " + now + ", " + now + ")")
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool {
		return r.metric("otelcol_receiver_agent_stream_anomalies", "reason", "empty_session") == 2
	}, wait, tick)
	agent.at(`UPDATE session SET agent = 'build', model = '{"id":"sim","providerID":"mock"}', time_updated = time_updated + 200 WHERE id = 'ses_2'`)
	require.Eventually(t, func() bool { return slices.Contains(r.spanNames(), "invoke_agent opencode") }, wait, tick)
	r.stop()
	require.Len(t, r.spans(), 1)
	run := r.spans()[0].Attributes().AsRaw()
	assert.Equal(t, "ses_2", run["gen_ai.conversation.id"])
	assert.Equal(t, "incomplete", run[otlp.AttrRunOutcome])
}

// TestFollowedSubAgents sees each state of a database in the order in which OpenCode wrote them, or several at once, so that
// the session of a sub-agent exists before the row of its call names it, and the result of that call comes together with the
// sub-agent's last words: following it live yields what reading it afterwards does, with the tokens on the same spans.
func TestFollowedSubAgents(t *testing.T) {
	for _, atOnce := range []int{1, 2, 3, 5, 8} {
		t.Run(strconv.Itoa(atOnce), func(t *testing.T) { followSubAgents(t, atOnce) })
	}
}

func followSubAgents(t *testing.T, atOnce int) {
	log, err := os.ReadFile(filepath.Join(samples, "opencode", "subagent.log.jsonl"))
	require.NoError(t, err)
	steps := strings.Split(strings.TrimSpace(string(log)), "\n")
	slices.SortStableFunc(steps, func(a, b string) int { // IDs of events ascend with time
		return strings.Compare(gjson.Get(a, "id").Str, gjson.Get(b, "id").Str)
	})
	home := t.TempDir()
	agent := newOpenCode(t, filepath.Join(home, "opencode.db"))
	cfg := configFor(filepath.Join(home, "**"))
	cfg.Stream.PollInterval = time.Millisecond
	live := start(t, cfg, nil)
	for some := range slices.Chunk(steps, atOnce) {
		before := live.metric("otelcol_receiver_agent_stream_lines", "provider", "opencode")
		agent.at("BEGIN IMMEDIATE")
		for _, step := range some {
			agent.logged(step)
		}
		agent.at("COMMIT")
		require.Eventually(t, func() bool {
			return live.metric("otelcol_receiver_agent_stream_lines", "provider", "opencode") > before
		}, wait, tick)
	}
	ended := func(r *rig) func() bool {
		return func() bool {
			return r.recordsNamed("tailspan.turn_done") == 3 && slices.Contains(r.spanNames(), "invoke_agent opencode")
		}
	}
	require.Eventually(t, ended(live), wait, tick)
	live.stop()
	after := start(t, cfg, nil)
	require.Eventually(t, ended(after), wait, tick)
	after.stop()
	if atOnce == 1 { // otherwise a scan may find the tokens of an answer in its message, before the part that has them too
		assert.Equal(t, after.uids(), live.uids())
	}
	assert.Equal(t, after.spanIDs(), live.spanIDs())
	assert.Equal(t, tokensBySpan(after), tokensBySpan(live))
}

// tokensBySpan returns the input tokens that each span itself carries.
func tokensBySpan(r *rig) map[string]string {
	tokens := map[string]string{}
	for _, s := range r.spans() {
		if v, ok := s.Attributes().Get(otlp.AttrGenAIInputTokens); ok {
			tokens[s.Name()+s.SpanID().String()] = v.AsString()
		}
	}
	return tokens
}
