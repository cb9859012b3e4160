package cause_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     int
		codes      []string
		want       events.Cause
	}{
		{name: "a code goes before the status", codes: []string{"server_error"}, status: 529, want: events.CauseServerError},
		{name: "a class of errors goes behind the status", codes: []string{"InternalServerError"}, status: 529, want: events.CauseOverloaded},
		{name: "a class of errors alone", codes: []string{"InternalServerError"}, want: events.CauseServerError},
		{name: "quota", text: "[API Error: slow]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio", want: events.CauseRateLimit},
		{name: "the first known code", codes: []string{"unknown", "invalid_request_error"}, status: 400, want: events.CauseInvalidRequest},
		{name: "codes in any case", codes: []string{"FatalTurnLimitedError"}, want: events.CauseMaxTurns},
		{name: "overloaded", status: 529, want: events.CauseOverloaded},
		{name: "bad gateway", status: 502, want: events.CauseServerError},
		{name: "status at the beginning", text: "401 mock says no", want: events.CauseAuthentication},
		{name: "status behind a word", text: "unexpected status 401 Unauthorized: Your key was revoked.", want: events.CauseAuthentication},
		{name: "status in JSON", text: `[API Error: {"error":{"code":400,"message":"an argument"}}]`, want: events.CauseInvalidRequest},
		{name: "status in brackets", text: "[API Error: 429 slow]", want: events.CauseRateLimit},
		{name: "limit of a subscription", text: "You’ve hit your usage limit. Upgrade to Pro", want: events.CauseRateLimit},
		{name: "words go before a status", text: "400 This model's maximum context length is 200000 tokens.", want: events.CauseContextLength},
		{name: "a port is no status", text: "connect http://127.0.0.1:4010/v1 refused", want: events.CauseOther},
		{name: "a longer number is no status", text: "status 40123", want: events.CauseOther},
		{name: "nothing", want: events.CauseOther},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, cause.Of(c.status, c.text, c.codes...))
		})
	}
}
