// Package container takes the framing off lines that a container runtime or a CI system wrote, and joins what it split.
//
// In go the lines of a file, out come those of the program that ran in the container. Each line shows by itself whether it is
// framed, so nothing has to be known of a file, and lines without a framing pass as they are:
//
//	framing            a line is                                                 a part is
//	CRI                2026-10-05T08:00:00.000000001Z stdout F {"type":...}      P in place of F
//	Docker, json-file  {"log":"{\"type\":...}\n","stream":"stdout","time":"..."}   no \n at the end of log
//	time prefix        2026-10-05T08:00:00.0000000Z {"type":...}                 - (none is split)
//
// CRI is what containerd and CRI-O write, and Podman under the name k8s-file; both split at 16 KiB by default. The time
// prefix is that of GitHub Actions' logs, of `kubectl logs --timestamps` and of `docker logs -t`; it is taken off only
// before an object, since other programs write such lines too. Standard output and standard error have parts of their own,
// which may be interleaved.
//
// An [Unwrapper] serves one stream and one goroutine. What it returns is valid until its next call and as long as the line
// that went in. It holds the parts of two lines, each up to the limit; of a longer line it keeps what package abridge does.
// The parts are no more than what the lines since the last whole one hold, so a replay of those lines restores them.
//
// Sources: the CRI log format (kubernetes/design-proposals, kubelet-cri-logging), Docker 28 (daemon/logger/jsonfilelog),
// containerd 2.1 (internal/cri/io/logger.go), GitHub Actions runner 2.325.
package container
