package telemetry

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
)

// instanceNamespace is the namespace that the conventions give for ids made of names (service.instance.id, v1.44.0):
// 4d63009a-8d0f-11ee-aad7-4c796ed8e320.
var instanceNamespace = [16]byte{0x4d, 0x63, 0x00, 0x9a, 0x8d, 0x0f, 0x11, 0xee, 0xaa, 0xd7, 0x4c, 0x79, 0x6e, 0xd8, 0xe3, 0x20}

// NewInstanceID makes a service.instance.id: a UUID of the names (version 5), without names a random one (version 4).
func NewInstanceID(names ...string) string {
	var id [16]byte
	version := byte(4)
	if len(names) == 0 {
		_, _ = rand.Read(id[:]) // it never fails
	} else {
		buf := instanceNamespace[:]
		for _, name := range names {
			buf = appendPart(buf, name)
		}
		sum := sha1.Sum(buf)
		copy(id[:], sum[:])
		version = 5
	}
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
