//go:build !(darwin || dragonfly || freebsd || netbsd || openbsd)

package discover

// watchedFiles: watching opens no files here.
const watchedFiles = 0
