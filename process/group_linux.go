package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// groupLives reports whether a process group has a member that is not a zombie. A zombie waits for the process that inherited
// it, which in a container may be a program that never reaps.
func groupLives(group int) bool {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true // unknown
	}
	want := strconv.Itoa(group)
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has exited
		}
		// "pid (name) state parent group ...": a name may contain spaces and parentheses (proc_pid_stat(5)).
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == want && string(fields[0]) != "Z" && string(fields[0]) != "X" {
			return true
		}
	}
	return false
}
