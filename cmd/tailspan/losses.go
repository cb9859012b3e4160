package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/process"
)

// reportLosses reports output that was not kept, and returns the exit code: it is a failure if a file was requested that lacks the
// output. On a full disk the command may have lost some without a word.
func (c *running) reportLosses(status int, exit process.Exit, full bool, spool string) int {
	const advice = "set TMPDIR or --raw to another disk; with --pipe the command would go on, and dropped output is counted"
	lacking := ""
	if files := requested(c.child.Raw, c.eventsFile); (full || exit.Dropped > 0) && len(files) > 0 {
		lacking = ", so the output in " + strings.Join(files, " and ") + " is incomplete"
		status = cmp.Or(status, cli.ExitFailure)
	}
	switch {
	case full:
		c.screen.Report(fmt.Sprintf("the disk of %q is full, so a part of the output may be lost; %s", spool, advice))
		status = c.judge.uncertain(status, "a part of the output may be lost")
	case exit.Status() != 0 && !c.child.Pipe && saysDiskFull(exit.Stderr):
		c.screen.Report(fmt.Sprintf("if the disk of %q is full, %s", spool, advice))
	}
	switch {
	case exit.Truncated:
		c.screen.Report("the command truncated its own output, as > /dev/stdout in a shell does, so a part of it is lost" + lacking + "; use --pipe")
	case exit.Dropped > 0:
		c.screen.Report(fmt.Sprintf("dropped %s of the command's output%s", cli.Count(exit.Dropped, "byte"), lacking))
	}
	return status
}

// requested returns those of --raw and --events that have a value: both hold the whole output.
func requested(raw, events string) (flags []string) {
	if raw != "" {
		flags = append(flags, "--raw")
	}
	if events != "" {
		flags = append(flags, "--events")
	}
	return flags
}

// saysDiskFull reports whether standard error mentions a full disk.
func saysDiskFull(stderr []byte) bool {
	return bytes.Contains(bytes.ToLower(stderr), []byte("no space left on device"))
}
