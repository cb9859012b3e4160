//go:build !(darwin || dragonfly || freebsd || netbsd || openbsd)

package discover

// watchedFiles is 0, because watching opens no files here.
const watchedFiles = 0
