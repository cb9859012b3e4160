package checkpoint_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
)

// TestEveryFieldIsStored: each field of a checkpoint is read as it was written, so a field that is added can't be forgotten.
func TestEveryFieldIsStored(t *testing.T) {
	var c checkpoint.Checkpoint
	number := 100 // falls, because Begin is at most Offset
	fill(t, reflect.ValueOf(&c).Elem(), &number)
	c.Position = json.RawMessage(`{"rows":[7]}`)
	c.Path = "/a \"quoted\" <ä>\n.jsonl"
	c.Head, c.Tail, c.MTime = math.MaxUint64, math.MaxUint64-1, math.MaxInt64
	value, err := c.Encode()
	require.NoError(t, err)
	back, err := checkpoint.Decode(checkpoint.ItemPrefix+c.Stream, value)
	require.NoError(t, err)
	assert.Equal(t, &c, back)
}

// fill sets each field to a value other than zero.
func fill(t *testing.T, v reflect.Value, number *int) {
	*number--
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field, number)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), number)
		fill(t, v.Index(1), number)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*number))
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		v.SetUint(uint64(*number))
	default:
		t.Fatalf("field of kind %v", v.Kind())
	}
	require.False(t, v.IsZero())
}
