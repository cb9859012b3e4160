#!/bin/sh
# Writes sample sessions again, line by line, as agents would: replay.sh LIST SESSIONS
#
# LIST names the samples, one path a line. Each becomes SESSIONS/replay/<run>/<name>.jsonl, one step of one pipeline run;
# PAUSE is the time between two lines in seconds. It ends after the last line. POSIX sh, so that busybox can run it.
set -eu

list=$1
sessions=$2
pause=${PAUSE:-0.5}
run=$(date +%s)

mkdir -p "$sessions/replay/$run"
while IFS= read -r file; do
	case $file in '' | '#'*) continue ;; esac
	step=$(basename "$file" .jsonl)
	echo "replay: $step"
	while IFS= read -r line || [ -n "$line" ]; do
		printf '%s\n' "$line" >>"$sessions/replay/$run/$step.jsonl"
		sleep "$pause"
	done <"$file"
done <"$list"
echo "replay: done"
