package program

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports that systems give to connections by themselves begin above lastPort. One below is still free when the program that it is
// meant for comes to listen, whatever others connect to meanwhile.
const firstPort, lastPort = 20000, 32767

// FreePort finds a port of the loopback device that nothing listens on, the wished one if it is free.
func FreePort(wish int) (string, error) {
	const tries = 50
	if wish > 0 && isFree(wish) {
		return strconv.Itoa(wish), nil
	}
	for range tries {
		if port := firstPort + rand.IntN(lastPort-firstPort+1); isFree(port) {
			return strconv.Itoa(port), nil
		}
	}
	return "", fmt.Errorf("find free port: %d ports between %d and %d are in use", tries, firstPort, lastPort)
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	return err == nil && listener.Close() == nil
}
