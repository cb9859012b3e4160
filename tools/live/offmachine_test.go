package live

import (
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// offMachine records requests to other machines: name look-ups, and connections to the ports of the web. In the network that
// tools/live/isolated creates, all of them lead here.
type offMachine struct {
	mu    sync.Mutex
	asked map[string]int
}

// watchNetwork fails the test if anything contacts another machine.
func watchNetwork(t *testing.T) {
	t.Helper()
	if os.Getenv("TAILSPAN_ISOLATED") == "" {
		t.Log("not in a network of its own (tools/live/isolated): connections off this machine are not noticed")
		return
	}
	o := &offMachine{asked: map[string]int{}}
	names, err := net.ListenPacket("udp", "127.0.0.1:53")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, names.Close()) })
	go o.serveNames(names)
	for _, port := range []string{"80", "443"} {
		web, err := net.Listen("tcp4", "0.0.0.0:"+port)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, web.Close()) })
		go o.refuse(web)
	}
	t.Cleanup(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		assert.Empty(t, o.asked, "names and addresses off this machine that were asked for")
	})
}

func (o *offMachine) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked[what]++
}

// serveNames answers that no name exists.
func (o *offMachine) serveNames(names net.PacketConn) {
	buf := make([]byte, 4096)
	for {
		n, from, err := names.ReadFrom(buf)
		if err != nil {
			return // closed
		}
		if name, ok := questionOf(buf[:n]); ok {
			o.note(name)
			buf[2], buf[3] = 0x81, 0x83 // a response: there is no such name
			_, _ = names.WriteTo(buf[:n], from)
		}
	}
}

// questionOf returns the name that a DNS query asks for (RFC 1035, section 4.1).
func questionOf(query []byte) (string, bool) {
	const header = 12
	var labels []string
	for at := header; at < len(query); {
		n := int(query[at])
		if n == 0 {
			return strings.Join(labels, "."), true
		}
		if at++; at+n > len(query) {
			break
		}
		labels = append(labels, string(query[at:at+n]))
		at += n
	}
	return "", false
}

func (o *offMachine) refuse(web net.Listener) {
	for {
		conn, err := web.Accept()
		if err != nil {
			return // closed
		}
		o.note(conn.LocalAddr().String())
		_ = conn.Close()
	}
}
