package spool

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// openAgain opens the same pipe a second time, non-blocking. The flag belongs to the open file description, so a new one keeps
// it from the processes that share file with us.
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
	f.writing.Store(true) // its end is an end even if nothing was written
	return f, nil
}
