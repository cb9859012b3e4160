package otlp

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// IdentityFromEnvironment returns the identity that environment variables set: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
// first (OpenTelemetry specification 1.40), then those of GitHub Actions, GitLab CI, Jenkins and Buildkite by their reference
// pages (2026-08). It suits an agent that runs in the same job as tailspan, not a collector that serves many.
func IdentityFromEnvironment(getenv func(string) string) Identity {
	return IdentityFromOTel(getenv).With(NewIdentity(ciAttributes(getenv)...))
}

// IdentityFromOTel returns the identity that OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES set.
func IdentityFromOTel(getenv func(string) string) Identity {
	service := Attribute{AttrServiceName, strings.TrimSpace(getenv("OTEL_SERVICE_NAME"))}
	return NewIdentity(append([]Attribute{service}, resourceAttributes(getenv("OTEL_RESOURCE_ATTRIBUTES"))...)...)
}

// resourceAttributes parses "key=value,key=value" with percent-encoded values. It skips invalid pairs.
func resourceAttributes(list string) []Attribute {
	var attrs []Attribute
	for pair := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil {
			continue
		}
		attrs = append(attrs, Attribute{key, decoded})
	}
	return attrs
}

// ciAttributes reads the variables of the CI system that runs the process.
func ciAttributes(getenv func(string) string) []Attribute {
	switch {
	case getenv("GITHUB_ACTIONS") != "":
		return githubAttributes(getenv)
	case getenv("GITLAB_CI") != "":
		return []Attribute{
			{AttrPipelineName, cmp.Or(getenv("CI_PIPELINE_NAME"), getenv("CI_PROJECT_PATH"))},
			{AttrPipelineRunID, getenv("CI_PIPELINE_ID")},
			{AttrPipelineRunURL, getenv("CI_PIPELINE_URL")},
			{AttrTaskName, getenv("CI_JOB_NAME")},
			{AttrTaskRunID, getenv("CI_JOB_ID")},
			{AttrTaskRunURL, getenv("CI_JOB_URL")},
			{AttrVCSRepositoryURL, withoutCredentials(getenv("CI_PROJECT_URL"))},
			{AttrVCSHeadName, cmp.Or(getenv("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"), getenv("CI_COMMIT_REF_NAME"))},
			{AttrVCSBaseName, getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")},
			{AttrVCSChangeID, getenv("CI_MERGE_REQUEST_IID")},
			{AttrVCSHeadRevision, getenv("CI_COMMIT_SHA")},
		}
	case getenv("JENKINS_URL") != "":
		return []Attribute{
			{AttrPipelineName, getenv("JOB_NAME")},
			{AttrPipelineRunID, getenv("BUILD_NUMBER")},
			{AttrPipelineRunURL, getenv("BUILD_URL")},
			{AttrTaskName, getenv("STAGE_NAME")},
			{AttrVCSRepositoryURL, withoutCredentials(getenv("GIT_URL"))},
			{AttrVCSHeadName, cmp.Or(getenv("CHANGE_BRANCH"), getenv("GIT_BRANCH"))},
			{AttrVCSBaseName, getenv("CHANGE_TARGET")},
			{AttrVCSChangeID, getenv("CHANGE_ID")},
			{AttrVCSHeadRevision, getenv("GIT_COMMIT")},
		}
	case getenv("BUILDKITE") != "":
		change := getenv("BUILDKITE_PULL_REQUEST")
		if change == "false" { // a build of a branch
			change = ""
		}
		return []Attribute{
			{AttrPipelineName, getenv("BUILDKITE_PIPELINE_SLUG")},
			{AttrPipelineRunID, getenv("BUILDKITE_BUILD_ID")},
			{AttrPipelineRunURL, getenv("BUILDKITE_BUILD_URL")},
			{AttrTaskName, cmp.Or(getenv("BUILDKITE_STEP_KEY"), getenv("BUILDKITE_LABEL"))},
			{AttrTaskRunID, getenv("BUILDKITE_JOB_ID")},
			{AttrVCSRepositoryURL, withoutCredentials(getenv("BUILDKITE_REPO"))},
			{AttrVCSHeadName, getenv("BUILDKITE_BRANCH")},
			{AttrVCSBaseName, getenv("BUILDKITE_PULL_REQUEST_BASE_BRANCH")},
			{AttrVCSChangeID, change},
			{AttrVCSHeadRevision, getenv("BUILDKITE_COMMIT")},
		}
	default:
		return nil
	}
}

// githubAttributes reads the variables of GitHub Actions. A re-run keeps the run ID and counts attempts, so the attempt
// is part of the ID from the second on. The ref name of a pull request's build is that of the merge, "27/merge".
func githubAttributes(getenv func(string) string) []Attribute {
	repository, runURL := "", ""
	if server, name := getenv("GITHUB_SERVER_URL"), getenv("GITHUB_REPOSITORY"); server != "" && name != "" {
		repository = server + "/" + name
		runURL = repository + "/actions/runs/" + getenv("GITHUB_RUN_ID")
	}
	run := getenv("GITHUB_RUN_ID")
	if attempt := getenv("GITHUB_RUN_ATTEMPT"); run != "" && attempt != "" && attempt != "1" {
		run += "-" + attempt
	}
	change := ""
	if number, ok := strings.CutPrefix(getenv("GITHUB_REF"), "refs/pull/"); ok {
		change, _, _ = strings.Cut(number, "/")
	}
	return []Attribute{
		{AttrPipelineName, getenv("GITHUB_WORKFLOW")},
		{AttrPipelineRunID, run},
		{AttrPipelineRunURL, runURL},
		{AttrTaskName, getenv("GITHUB_JOB")},
		{AttrVCSRepositoryURL, repository},
		{AttrVCSHeadName, cmp.Or(getenv("GITHUB_HEAD_REF"), getenv("GITHUB_REF_NAME"))},
		{AttrVCSBaseName, getenv("GITHUB_BASE_REF")},
		{AttrVCSChangeID, change},
		{AttrVCSHeadRevision, getenv("GITHUB_SHA")},
	}
}

// withoutCredentials removes user and password from a repository's URL. An address such as git@host:path has none.
func withoutCredentials(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// Parent is a span of another program that is the parent of a stream's work, as in TRACEPARENT.
type Parent struct {
	TraceID pcommon.TraceID
	SpanID  pcommon.SpanID
}

// Empty reports whether there is no parent.
func (p Parent) Empty() bool { return p.TraceID.IsEmpty() || p.SpanID.IsEmpty() }

// ParseTraceParent parses a traceparent value (W3C Trace Context, level 1): "00-{trace id}-{span id}-{flags}". It
// parses unknown versions like 00, as the specification requires. An empty value means no parent. Errors do not contain
// the value, because it may be something else.
func ParseTraceParent(value string) (Parent, error) {
	if value == "" {
		return Parent{}, nil
	}
	parts := strings.Split(value, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 ||
		parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 {
		const want = "00-<32 hex digits>-<16 hex digits>-<2 hex digits>"
		return Parent{}, fmt.Errorf("parse traceparent: want %s, got %d bytes in %d parts", want, len(value), len(parts))
	}
	var p Parent
	for _, field := range []struct {
		into []byte
		text string
	}{{p.TraceID[:], parts[1]}, {p.SpanID[:], parts[2]}, {make([]byte, 1), parts[3]}} {
		if strings.ToLower(field.text) != field.text {
			return Parent{}, errors.New("parse traceparent: hex digits must be lower case")
		}
		if _, err := hex.Decode(field.into, []byte(field.text)); err != nil {
			return Parent{}, errors.New("parse traceparent: ids must be hex digits")
		}
	}
	if p.Empty() {
		return Parent{}, errors.New("parse traceparent: ids of zeros only")
	}
	return p, nil
}
