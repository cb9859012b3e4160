package memory_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/memory"
)

func TestOwn(t *testing.T) {
	large := strings.Repeat("x", 1000) + "idname"
	id, name, none := large[1000:1002], large[1002:], ""
	memory.Own(&id, &none, &name)
	assert.Equal(t, []string{"id", "", "name"}, []string{id, none, name})
	for _, s := range []string{id, name} {
		at := uintptr(unsafe.Pointer(unsafe.StringData(s))) - uintptr(unsafe.Pointer(unsafe.StringData(large)))
		assert.GreaterOrEqual(t, at, uintptr(len(large)), "it does not lie in the larger one")
	}
}
