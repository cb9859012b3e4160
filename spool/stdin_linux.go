package spool

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// openAgain opens the pipe that file is a second time, without blocking: the flag is one of the opening, and who shares
// file with us must not see it.
func openAgain(file *os.File) (*FIFO, error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var again *os.File
	controlErr := conn.Control(func(fd uintptr) {
		again, err = os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(fd)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
	if err = errors.Join(controlErr, err); err != nil {
		return nil, err
	}
	f := &FIFO{once: true, file: again, stopped: make(chan struct{})}
	f.writing.Store(true) // an end is an end, although nothing was written
	return f, nil
}
