//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package discover

// watchedFiles bounds the files that watching opens: kqueue needs each file of a watched folder open, and a process of
// macOS may have 256 open by default. Folders beyond are polled.
const watchedFiles = 128
