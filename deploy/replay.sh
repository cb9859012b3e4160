#!/bin/sh
# Writes sample sessions again, line by line, as agents would: replay.sh SAMPLES SESSIONS
#
# Each SAMPLES/*.stream.jsonl becomes SESSIONS/replay/<run>/<name>.jsonl, one step of one pipeline run; PAUSE is the time
# between two lines in seconds. It ends after the last line. POSIX sh, so that busybox can run it.
set -eu

samples=$1
sessions=$2
pause=${PAUSE:-0.5}
run=$(date +%s)

mkdir -p "$sessions/replay/$run"
for file in "$samples"/*.stream.jsonl; do
	[ -e "$file" ] || { echo "replay: no sample sessions in $samples" >&2; exit 1; }
	step=$(basename "$file" .stream.jsonl)
	echo "replay: $step"
	while IFS= read -r line || [ -n "$line" ]; do
		printf '%s\n' "$line" >>"$sessions/replay/$run/$step.jsonl"
		sleep "$pause"
	done <"$file"
done
echo "replay: done"
