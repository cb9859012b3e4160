// Package container removes the framing that a container runtime or a CI system adds to lines, and joins lines that it split.
//
// Its input are the lines of a file, its output those of the program in the container. Each line shows whether it is framed,
// so nothing needs to be configured per file, and lines without framing pass unchanged:
//
//	framing            format of a line                                          mark of a partial line
//	CRI                2026-10-05T08:00:00.000000001Z stdout F {"type":...}      P in place of F
//	Docker, json-file  {"log":"{\"type\":...}\n","stream":"stdout","time":"..."}   no \n at the end of log
//	time prefix        2026-10-05T08:00:00.0000000Z {"type":...}                 - (none is split)
//
// containerd and CRI-O write CRI, as does Podman under the name k8s-file. CRI and Docker split at 16 KiB by default. The time
// prefix is that of GitHub Actions logs, `kubectl logs --timestamps` and `docker logs -t`; it is removed only before an
// object, because other programs write such lines too. Partial lines of standard output and standard error are separate and
// may be interleaved.
//
// An [Unwrapper] is for one stream and one goroutine. Its results are valid until its next call, and only while the line
// passed in is. It holds the parts of two lines, each up to the limit; of a longer line it keeps what package abridge keeps.
// It holds no more parts than the input since the last complete line contains, so a replay of that input restores them.
//
// Sources: the CRI log format (kubernetes/design-proposals, kubelet-cri-logging), Docker 28 (daemon/logger/jsonfilelog),
// containerd 2.1 (internal/cri/io/logger.go), GitHub Actions runner 2.325.
package container
