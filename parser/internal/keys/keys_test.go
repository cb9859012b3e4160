package keys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/keys"
)

func TestKeys(t *testing.T) {
	k := keys.New()
	same := map[string]uint64{
		"bytes": k.Bytes(1, []byte("call")), "string": k.String(1, "call"), "id": k.ID(1, []byte("call")), "escaped id": k.ID(1, []byte(`\u0063all`)),
	}
	for name, key := range same {
		assert.Equal(t, same["bytes"], key, name)
	}
	assert.Equal(t, k.Pair(1, []byte("a"), []byte("b")), k.With(k.String(1, "a"), []byte("b")))

	others := []uint64{
		k.Bytes(1, []byte("call")), k.Bytes(2, []byte("call")), k.Bytes(1, nil), k.Bytes(1, []byte(`\u0063all`)), keys.New().Bytes(1, []byte("call")),
		k.Pair(1, []byte("ab"), []byte("c")), k.Pair(1, []byte("a"), []byte("bc")), k.Pair(1, []byte("abc"), nil), k.Pair(2, []byte("a"), []byte("bc")),
	}
	for i, a := range others {
		for _, b := range others[:i] {
			assert.NotEqual(t, a, b)
		}
	}
}
