#!/bin/sh
# An agent in any CI job, or by hand:
#
#   ci.sh claude -p "Fix the failing test." --permission-mode acceptEdits --allowedTools "Bash(go test *)"
#
# GitHub Actions, GitLab CI, Jenkins and Buildkite are detected by their variables. Elsewhere PIPELINE, RUN_ID and STEP identify the work of
# the agent. SUMMARY is the path of the page about the run. TRACE_URL, if set, is the address of a trace in your back end with
# {trace_id} in place of its id. An OpenTelemetry endpoint is read from the OTEL_EXPORTER_OTLP_* variables.
set -eu

[ $# -gt 0 ] || { echo "usage: ci.sh AGENT [ARGUMENT...]" >&2; exit 2; }

exec tailspan run --stream --mode verbose \
	${PIPELINE:+--pipeline "$PIPELINE"} ${RUN_ID:+--run-id "$RUN_ID"} ${STEP:+--step "$STEP"} \
	--fail-on error,incomplete,denied,empty \
	--stall-after "${STALL_AFTER:-10m}" --stall-kill --max-time "${MAX_TIME:-45m}" --max-tokens "${MAX_TOKENS:-5000000}" \
	--summary-file "${SUMMARY:-agent.md}" ${TRACE_URL:+--trace-url "$TRACE_URL"} \
	-- "$@"
