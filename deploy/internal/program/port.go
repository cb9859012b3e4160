package program

import (
	"fmt"
	"net"
	"strconv"
)

// FreePort asks the system for a port of the loopback device that nothing listens on, the wished one if it is free.
func FreePort(wish int) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(wish)))
	if err != nil && wish != 0 {
		return FreePort(0)
	}
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}
