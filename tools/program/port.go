package program

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Systems assign ports above lastPort to outgoing connections. A port below it is still free when the intended program listens
// on it, no matter which connections are opened in the meantime.
const firstPort, lastPort = 20000, 32767

// FreePort returns a free port of the loopback interface, the preferred one if possible.
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
