package program

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ticksPerSecond is the unit of CPU time in /proc: USER_HZ is 100 on every architecture that Go runs on.
const ticksPerSecond = 100

// Usage is the cost of a process since its start.
type Usage struct {
	CPU     time.Duration // user and system, of all threads
	RSS     int64         // bytes now
	PeakRSS int64         // bytes
}

// MeasureUsage reads /proc, which only Linux has.
func MeasureUsage(pid int) (Usage, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w", err)
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w", err)
	}
	return parseUsage(stat, status)
}

// parseUsage parses both files as described in proc(5). The name of the program, in parentheses, may contain anything.
func parseUsage(stat, status []byte) (Usage, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return Usage{}, fmt.Errorf("parse usage: %d fields in %q", len(fields), stat)
	}
	var u Usage
	for _, field := range fields[11:13] { // utime and stime, 14 and 15 counted from 1 with the two before the parenthesis
		ticks, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("parse usage: %w", err)
		}
		u.CPU += time.Duration(ticks) * time.Second / ticksPerSecond
	}
	for line := range bytes.Lines(status) {
		var err error
		switch key, rest, _ := bytes.Cut(line, []byte(":")); string(key) {
		case "VmRSS":
			u.RSS, err = parseKiB(rest)
		case "VmHWM":
			u.PeakRSS, err = parseKiB(rest)
		}
		if err != nil {
			return Usage{}, fmt.Errorf("parse usage: %w", err)
		}
	}
	return u, nil
}

// MeasureRead reads from /proc how many bytes a process has read by system calls, from any file, pipe or connection.
func MeasureRead(pid int) (int64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "io"))
	if err != nil {
		return 0, fmt.Errorf("read usage: %w", err)
	}
	for line := range bytes.Lines(text) {
		if key, rest, _ := bytes.Cut(line, []byte(":")); string(key) == "rchar" {
			return strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
		}
	}
	return 0, fmt.Errorf("parse usage: no rchar in %q", text)
}

func parseKiB(b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(b), []byte(" kB"))), 10, 64)
	return n << 10, err
}
