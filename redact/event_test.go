package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// identity lists the IDs: an ID with a secret contains a part of its hash, so that it differs from others.
var identity = map[string]bool{
	"SessionID": true, "TurnID": true, "MessageID": true, "ItemID": true, "ParentID": true, "AgentID": true,
	"Tool.ID": true, "Tool.AgentID": true, "Session.PreviousID": true, "Session.ParentID": true,
	"Approval.ID": true, "Ask.ID": true, "Ask.Questions.ID": true, "Ask.Answers.QuestionID": true,
}

// visit calls f for every string and byte slice in v, with the names of the fields on the path.
func visit(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), path, f)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			visit(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), f)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			f(path, v)
			return
		}
		for i := range v.Len() {
			visit(v.Index(i), path, f)
		}
	case reflect.String:
		f(path, v)
	}
}

// full returns an event with every payload, and text in every string.
func full(text string) *events.DisplayEvent {
	e := &events.DisplayEvent{
		Usage: &events.Usage{}, Session: &events.Session{}, End: &events.End{Totals: &events.Totals{}}, Approval: &events.Approval{},
		Ask: &events.Ask{Questions: []events.AskQuestion{{Options: []events.AskOption{{}}}}, Answers: []events.AskAnswer{{Selected: []string{""}}}},
	}
	visit(reflect.ValueOf(e), "", func(_ string, v reflect.Value) {
		if v.Kind() == reflect.Slice {
			v.SetBytes([]byte(text))
			return
		}
		v.SetString(text)
	})
	return e
}

// Every string of an event is free of secrets; the test covers new fields.
func TestEventEveryField(t *testing.T) {
	const text = "x TOKEN=zz-0123456789abcdef"
	e := full(text)
	end, ask, output := e.End, e.Ask, e.Tool.Output
	free := 0
	n := newRedactor(t, redact.Settings{}).Event(e)
	visit(reflect.ValueOf(e), "", func(path string, v reflect.Value) {
		got := v.String()
		if v.Kind() == reflect.Slice {
			got = string(v.Bytes())
		}
		free++
		if identity[path] {
			assert.Regexp(t, `^x TOKEN=\[redacted\]-[0-9a-f]{8}$`, got, path)
			return
		}
		assert.Equal(t, "x TOKEN=[redacted]", got, path)
	})
	assert.Equal(t, free, n)
	assert.Greater(t, free, 40)
	// The memory that the source may still hold is unchanged.
	assert.Equal(t, text, end.Result)
	assert.Equal(t, text, ask.Questions[0].Options[0].Label)
	assert.Equal(t, text, ask.Answers[0].Selected[0])
	assert.Equal(t, text, string(output))
}

func TestEventClean(t *testing.T) {
	e, r := full("plain text with a token and a key"), newRedactor(t, redact.Settings{})
	want := *e
	assert.Zero(t, r.Event(e))
	assert.Equal(t, want, *e)
	e.Ask = nil
	assert.Zero(t, testing.AllocsPerRun(10, func() { r.Event(e) }))
}

func TestEventDrop(t *testing.T) {
	e := &events.DisplayEvent{Tool: events.Tool{Input: []byte("{}"), Output: []byte("TOKEN=zz-0123456789abcdef"), Summary: "TOKEN=zz-0123456789abcdef"}}
	newRedactor(t, redact.Settings{DropInput: true, DropOutput: true}).Event(e)
	assert.Equal(t, events.Tool{Summary: "TOKEN=[redacted]"}, e.Tool)
}

// Texts that are not exported, but only counted by length, are unchanged.
func TestSkip(t *testing.T) {
	const secret = "TOKEN=zz-0123456789abcdef"
	for _, tt := range []struct {
		name     string
		settings redact.Settings
		left     []events.Kind
	}{
		{"by default nothing", redact.Settings{}, nil},
		{"reasoning", redact.Settings{SkipReasoning: true}, []events.Kind{events.KindReasoning}},
		{"prompts", redact.Settings{SkipPrompts: true}, []events.Kind{events.KindPrompt}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRedactor(t, tt.settings)
			for _, kind := range events.Kinds() {
				e := events.DisplayEvent{Kind: kind, Text: secret, Reasoning: secret}
				r.Event(&e)
				want := "TOKEN=[redacted]"
				if slices.Contains(tt.left, kind) {
					want = secret
				}
				assert.Equal(t, want, e.Text, kind)
				assert.Equal(t, tt.settings.SkipReasoning, e.Reasoning == secret, kind)
			}
		})
	}
}

// planted are secrets as they appear in a text, and the part of each that must not remain.
var planted = []struct{ text, secret string }{
	{"curl -H 'Authorization: Bearer AAAA1111BBBB2222CCCC3333' https://api.example", "AAAA1111BBBB2222CCCC3333"},
	{"DEMO_API_KEY=zz-demo-0123456789abcdef ./run", "zz-demo-0123456789abcdef"},
	{"https://user:hunter2secret@host.example/x?token=qwertyuiop123456", "hunter2secret"},
	{"https://user:hunter2secret@host.example/x?token=qwertyuiop123456", "qwertyuiop123456"},
	{"password: hunter2secret", "hunter2secret"},
	{`{"password": "hunter2secret"}`, "hunter2secret"},
	{"use ghp_" + alnum36 + " now", alnum36},
	{"sk-ant-api03-" + alnum36, alnum36},
	{"id AKIADEMODEMODEMO0000 x", "DEMODEMODEMO0000"},
	{jwt, "eyJhbGciOiJub25lIn0"},
	{jwt, "eyJzdWIiOiJkZW1vIn0"},
	{"hvs." + alnum36, alnum36},
}

// leaks returns a part of secret, of six bytes or more, that is in s.
func leaks(s, secret string) string {
	const least = 6
	for i := 0; i+least <= len(secret); i++ {
		if strings.Contains(s, secret[i:i+least]) {
			return secret[i : i+least]
		}
	}
	return ""
}

// Wherever a summary is cut, nothing of the secret remains, with or without the output.
func TestSummaryCut(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	cases := slices.Clone(planted)
	// Longer than what is searched in addition to the summary.
	long := "Qz"
	for i := range 200 {
		long += fmt.Sprintf("%05x", (i*7919+11)*104729%(1<<20))
	}
	for _, text := range []string{"ghp_%s", "password: \"%s\"", "https://user:%s@host.example/", "curl -u bot:%s x", "Authorization: Bearer %s"} {
		cases = append(cases, struct{ text, secret string }{fmt.Sprintf(text, long), long})
	}
	for _, p := range cases {
		for pad := range 2 * (events.SummaryRunes + 2) {
			// Shorter and longer than what is searched in addition to the summary.
			tail := strings.Repeat(" and so on", []int{12, 200}[pad%2])
			pad /= 2
			output := strings.Repeat("é ", pad/2) + strings.Repeat(" ", pad%2) + "x " + p.text + tail
			for _, have := range [][]byte{[]byte(output), nil} {
				e := events.DisplayEvent{Tool: events.Tool{Summary: events.Summary(output), Output: have}}
				r.Event(&e)
				require.Empty(t, leaks(e.Tool.Summary, p.secret), "%q of %q", e.Tool.Summary, output)
				require.LessOrEqual(t, len([]rune(e.Tool.Summary)), events.SummaryRunes+len("[redacted:anthropic]…"))
			}
		}
	}
}

// The lines of a stream with made-up credentials in commands and results: no part of them remains in the events and in
// the lines themselves.
func TestSecretsInArguments(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	file, err := os.ReadFile("../testdata/claude/case-secrets-in-arguments.jsonl")
	require.NoError(t, err)
	secrets := []string{"AAAA1111BBBB2222CCCC3333", "0123456789abcdef", "hunter2secret", "qwertyuiop123456"}
	for _, line := range bytes.Split(bytes.TrimSpace(file), []byte("\n")) {
		before := bytes.Clone(line)
		out := r.Bytes(line)
		assert.Equal(t, string(before), string(line), "the line is the caller's")
		assert.True(t, json.Valid(out))
		assert.NotContains(t, string(out), "zz-demo")
		for _, secret := range secrets {
			assert.Empty(t, leaks(string(out), secret))
			assert.Empty(t, leaks(r.String("prefix "+string(line)), secret), "as text, not as JSON")
		}
	}
	for _, p := range planted {
		e := events.DisplayEvent{Tool: events.Tool{Target: p.text, Input: []byte(`{"command":` + quoted(t, p.text) + `}`)}}
		r.Event(&e)
		assert.True(t, json.Valid(e.Tool.Input))
		assert.Empty(t, leaks(e.Tool.Arg()+e.Tool.Target+string(e.Tool.Input), p.secret), "%s", e.Tool.Input)
	}
}

func quoted(t testing.TB, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	return string(b)
}

// IDs that contain secrets still distinguish calls, and a call and its result still have the same ID.
func TestIDsStayDistinct(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	clean := func(id string) string {
		e := events.DisplayEvent{Tool: events.Tool{ID: id}}
		r.Event(&e)
		return e.Tool.ID
	}
	one, other := clean("TOKEN=zz-0123456789abcdef"), clean("TOKEN=zz-abcdef0123456789")
	assert.NotEqual(t, one, other)
	assert.Equal(t, one, clean("TOKEN=zz-0123456789abcdef"))
	assert.Equal(t, one, clean(one), "redacting twice is redacting once")
}

func TestAttribute(t *testing.T) {
	const secret = "zz-demo-0123456789abcdef"
	for _, tt := range []struct{ name, key, value, wantKey, wantValue string }{
		{"clean", "cicd.pipeline.name", "nightly", "cicd.pipeline.name", "nightly"},
		{"value by its key", "api_key", secret, "api_key", "[redacted]"},
		{"value by itself", "note", "TOKEN=" + secret, "note", "TOKEN=[redacted]"},
		{"key", "TOKEN=" + secret, "x", "TOKEN=[redacted]", "x"},
		{"key of Honeycomb", "x-honeycomb-team", secret, "x-honeycomb-team", "[redacted]"},
		{"key of Uptrace", "uptrace-dsn", secret, "uptrace-dsn", "[redacted]"},
		{"key of Instana", "x-instana-key", secret, "x-instana-key", "[redacted]"},
		{"team", "team", "zz-payments-2026", "team", "zz-payments-2026"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key, value := newRedactor(t, redact.Settings{}).Attribute(tt.key, tt.value)
			assert.Equal(t, tt.wantKey, key)
			assert.Equal(t, tt.wantValue, value)
		})
	}
}

// TestSecretHeader has the headers by which OTLP endpoints identify a client, and headers that are no keys.
func TestSecretHeader(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "proxy-authorization": true, "Cookie": true, "X-Api-Key": true, "api-key": true, "DD-API-KEY": true, "X-Seq-ApiKey": true,
		"x-honeycomb-team": true, "uptrace-dsn": true, "x-instana-key": true, "signoz-ingestion-key": true, "lightstep-access-token": true,
		"X-SF-Token": true, "Ocp-Apim-Subscription-Key": true, "CF-Access-Client-Secret": true, "x-vendor-key": true, "helicone-auth": true,
		"X-Scope-OrgID": false, "x-honeycomb-dataset": false, "X-Axiom-Dataset": false, "x-bt-parent": false, "stream-name": false, "": false,
	} {
		assert.Equal(t, want, redact.SecretHeader(name), name)
	}
}

func TestKeys(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	got := r.Keys(map[string]int{"TOKEN=zz-0123456789abcdef": 1, "TOKEN=zz-abcdef0123456789": 2, "plain": 3})
	assert.Equal(t, map[string]int{"TOKEN=[redacted]": 3, "plain": 3}, got)
	assert.Equal(t, map[string]int{"plain": 3}, r.Keys(map[string]int{"plain": 3}))
}
