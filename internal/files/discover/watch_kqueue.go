//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package discover

// watchedFiles bounds the files that watching opens: kqueue needs every file of a watched folder open, and a macOS process may
// have 256 open files by default. Further folders are polled.
const watchedFiles = 128
