package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/config"
)

func TestPathPatternMatch(t *testing.T) {
	const step = "runs/{cicd.pipeline.name}/{cicd.pipeline.run.id}/{cicd.pipeline.task.name}.jsonl"
	tests := []struct {
		name, pattern, path string
		want                []config.PathAttribute
	}{
		{"step file", step, "/data/runs/nightly/17/fix.jsonl", []config.PathAttribute{
			{Key: "cicd.pipeline.name", Value: "nightly"}, {Key: "cicd.pipeline.run.id", Value: "17"}, {Key: "cicd.pipeline.task.name", Value: "fix"}}},
		{"relative path", step, "runs/nightly/17/fix.jsonl", []config.PathAttribute{
			{Key: "cicd.pipeline.name", Value: "nightly"}, {Key: "cicd.pipeline.run.id", Value: "17"}, {Key: "cicd.pipeline.task.name", Value: "fix"}}},
		{"not at an element border", step, "/data/overruns/nightly/17/fix.jsonl", nil},
		{"too deep", step, "/data/runs/nightly/17/x/fix.jsonl", nil},
		{"dots in a name", step, "/runs/a.b/1/c.d.jsonl", []config.PathAttribute{
			{Key: "cicd.pipeline.name", Value: "a.b"}, {Key: "cicd.pipeline.run.id", Value: "1"}, {Key: "cicd.pipeline.task.name", Value: "c.d"}}},
		{"two in one element", "{team}-{cicd.pipeline.run.id}.jsonl", "/x/core-77.jsonl", []config.PathAttribute{
			{Key: "team", Value: "core"}, {Key: "cicd.pipeline.run.id", Value: "77"}}},
		{"star", "*/{step}/out*.jsonl", "/w/a/fix/out-1.jsonl", []config.PathAttribute{{Key: "step", Value: "fix"}}},
		{"two stars", "{run}/**/{step}.jsonl", "/r/1/a/b/fix.jsonl", []config.PathAttribute{{Key: "run", Value: "r"}, {Key: "step", Value: "fix"}}},
		{"regexp signs are plain", "a+b/{x}.jsonl", "/aab/1.jsonl", nil},
		{"empty pattern", "", "/a/b", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := config.ParsePathPattern(tt.pattern)
			require.NoError(t, err)
			assert.Equal(t, tt.want, p.Match(tt.path))
		})
	}
}

func TestParsePathPatternErrors(t *testing.T) {
	tests := []struct{ name, pattern, want string }{
		{"open brace", "runs/{a/b", "a { without a }"},
		{"closing brace", "runs/a}/b", "a } without a {"},
		{"no name", "runs/{}/b", `"" is not an attribute name`},
		{"blank in name", "runs/{a b}/c", `"a b" is not an attribute name`},
		{"twice", "{a}/{a}", `"a" occurs twice`},
		{"side by side", "{a}{b}", "nothing between"},
		{"nothing named", "runs/*.jsonl", "no {attribute} in the pattern"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.ParsePathPattern(tt.pattern)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func FuzzParsePathPattern(f *testing.F) {
	f.Add("runs/{a}/{b}.jsonl", "runs/x/y.jsonl")
	f.Add("{a}{", "\xff")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		p, err := config.ParsePathPattern(pattern)
		if err != nil {
			return
		}
		for _, a := range p.Match(path) {
			assert.NotEmpty(t, a.Value)
			assert.NotContains(t, a.Value, "/")
		}
	})
}
