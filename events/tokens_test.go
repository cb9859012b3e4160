package events_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

// TestTokensFields checks that the arithmetic covers every count, including counts added to the type later.
func TestTokensFields(t *testing.T) {
	fields := reflect.TypeFor[events.Tokens]()
	for i := range fields.NumField() {
		of := func(n int64) (tokens events.Tokens) {
			reflect.ValueOf(&tokens).Elem().Field(i).SetInt(n)
			return tokens
		}
		t.Run(fields.Field(i).Name, func(t *testing.T) {
			sum := of(3)
			sum.Add(of(4))
			assert.Equal(t, of(7), sum)
			assert.Equal(t, of(-1), of(3).Sub(of(4)))
			assert.Equal(t, of(4), of(3).Larger(of(4)))
			assert.Equal(t, of(3), of(3).Smaller(of(4)))
			assert.Equal(t, of(0), of(3).Beyond(of(4)))
		})
	}
}
