package spool

import (
	"os"
	"strconv"
	"syscall"
)

// openAgain opens the pipe that file is a second time, without blocking: the flag is one of the opening, and who shares
// file with us must not see it.
func openAgain(file *os.File) (*os.File, error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var again *os.File
	controlErr := conn.Control(func(fd uintptr) {
		again, err = os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(fd)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	})
	if controlErr != nil {
		return nil, controlErr
	}
	return again, err
}
