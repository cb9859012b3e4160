// Package cause determines why a run or a model call failed and names it by an [events.Cause]. Formats report the cause
// in different ways: a code of their own, an HTTP status, or a status within a text.
package cause

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
)

// Of returns the cause of a failure: that of the first known code, otherwise that of the HTTP status (0 for none),
// otherwise that of the status or the words in text.
func Of(status int, text string, codes ...string) events.Cause {
	for _, code := range codes {
		if c := ofCode(code); c != "" && !(code == anyServerError && ofStatus(status) != "") {
			return c
		}
	}
	if c := ofStatus(status); c != "" {
		return c
	}
	return ofText(text)
}

// anyServerError is the name that OpenAI's SDK gives to errors of any status from 500 up (openai 5.x, in Qwen Code 0.24.4).
const anyServerError = "InternalServerError"

// codes maps the words for a cause, in lower case, of Claude Code (error, apiErrorType, subtype, terminal_reason),
// Codex (codex_error_info), OpenCode (error.name), Gemini CLI and Qwen Code (error.type), and APIs.
var codes = map[string]events.Cause{
	"authentication_failed": events.CauseAuthentication, "authentication_error": events.CauseAuthentication,
	"authenticationerror": events.CauseAuthentication, "fatalauthenticationerror": events.CauseAuthentication,
	"permission_error": events.CauseAuthentication, "unauthorized": events.CauseAuthentication,
	"unauthenticated": events.CauseAuthentication, "invalid_api_key": events.CauseAuthentication,
	"providerautherror": events.CauseAuthentication, "oauth_org_not_allowed": events.CauseAuthentication,
	"permissiondeniederror": events.CauseAuthentication, "permission_denied": events.CauseAuthentication,

	"rate_limit": events.CauseRateLimit, "rate_limit_error": events.CauseRateLimit, "rate_limit_exceeded": events.CauseRateLimit,
	"ratelimiterror": events.CauseRateLimit, "usage_limit_exceeded": events.CauseRateLimit, "usage_limit_reached": events.CauseRateLimit,
	"resource_exhausted": events.CauseRateLimit, "insufficient_quota": events.CauseRateLimit, "too_many_requests": events.CauseRateLimit,

	"overloaded": events.CauseOverloaded, "overloaded_error": events.CauseOverloaded, "server_overloaded": events.CauseOverloaded,
	"unavailable": events.CauseOverloaded, "slow_down": events.CauseOverloaded,

	"server_error": events.CauseServerError, "api_error": events.CauseServerError, "internal_server_error": events.CauseServerError,
	"internalservererror": events.CauseServerError, "internal": events.CauseServerError,

	"invalid_request": events.CauseInvalidRequest, "invalid_request_error": events.CauseInvalidRequest, "bad_request": events.CauseInvalidRequest,
	"badrequesterror": events.CauseInvalidRequest, "invalid_argument": events.CauseInvalidRequest, "fatalinputerror": events.CauseInvalidRequest,
	"not_found_error": events.CauseInvalidRequest, "notfounderror": events.CauseInvalidRequest, "model_not_found": events.CauseInvalidRequest,

	"context_length": events.CauseContextLength, "context_window_exceeded": events.CauseContextLength, "prompt_too_long": events.CauseContextLength,
	"context_length_exceeded": events.CauseContextLength, "contextoverflowerror": events.CauseContextLength,
	"model_context_window_exceeded": events.CauseContextLength, "blocking_limit": events.CauseContextLength,

	"max_output_tokens": events.CauseMaxOutputTokens, "max_tokens": events.CauseMaxOutputTokens,
	"messageoutputlengtherror": events.CauseMaxOutputTokens,

	"content_filter": events.CauseContentFilter, "content-filter": events.CauseContentFilter, "refusal": events.CauseContentFilter,
	"contentfiltererror": events.CauseContentFilter, "cyber_policy": events.CauseContentFilter, "safety": events.CauseContentFilter,

	"max_turns": events.CauseMaxTurns, "error_max_turns": events.CauseMaxTurns, "max_turns_reached": events.CauseMaxTurns,
	"fatalturnlimitederror": events.CauseMaxTurns,

	"budget": events.CauseBudget, "budget_exhausted": events.CauseBudget, "error_max_budget_usd": events.CauseBudget,
	"budget_limited": events.CauseBudget, "billing_error": events.CauseBudget, "session_budget_exceeded": events.CauseBudget,
}

func ofCode(code string) events.Cause {
	var room [maxCode]byte
	if code == "" || len(code) > len(room) {
		return ""
	}
	return codes[string(appendLower(room[:0], code))]
}

// maxCode is the maximum length of a code, in bytes.
const maxCode = 64

// appendLower appends text with its ASCII letters in lower case; the words to be found contain no others.
func appendLower(to []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// ofStatus returns the cause for an HTTP status.
func ofStatus(status int) events.Cause {
	switch {
	case status == 401, status == 403:
		return events.CauseAuthentication
	case status == 429:
		return events.CauseRateLimit
	case status == 402:
		return events.CauseBudget
	case status == 413:
		return events.CauseContextLength
	case status == 503, status == 529:
		return events.CauseOverloaded
	case status >= 500 && status < 600:
		return events.CauseServerError
	case status >= 400 && status < 500:
		return events.CauseInvalidRequest
	default:
		return ""
	}
}

// maxText is the number of bytes of a text that are searched.
const maxText = 2 << 10

// phrases are the words, in lower case, of programs that report no code.
var phrases = [...]struct {
	phrase string
	cause  events.Cause
}{
	{"context window", events.CauseContextLength},
	{"context length", events.CauseContextLength},
	{"prompt is too long", events.CauseContextLength},
	{"max_output_tokens", events.CauseMaxOutputTokens},
	{"output token maximum", events.CauseMaxOutputTokens},
	{"content_filter", events.CauseContentFilter},
	{"maximum number of turns", events.CauseMaxTurns},
	{"session turns", events.CauseMaxTurns},
	{"maximum budget", events.CauseBudget},
	{"credit balance", events.CauseBudget},
	{"usage limit", events.CauseRateLimit},
	{"rate limit", events.CauseRateLimit},
	{"request a quota increase", events.CauseRateLimit}, // Gemini CLI 0.61 for a 429
	{"quota limitations", events.CauseRateLimit},        // the same, for other accounts
	{"too many requests", events.CauseRateLimit},
	{"high demand", events.CauseServerError}, // Codex 0.171 for a 500; its rollout has internal_server_error
	{"overloaded", events.CauseOverloaded},
	{"invalid api key", events.CauseAuthentication},
	{"api key not valid", events.CauseAuthentication},
	{"invalid authentication", events.CauseAuthentication},
	{"please run /login", events.CauseAuthentication},
	{"invalid_request_error", events.CauseInvalidRequest},
	{"internal server error", events.CauseServerError},
}

func ofText(text string) events.Cause {
	var room [maxText]byte
	lower := appendLower(room[:0], text[:min(len(text), maxText)])
	for _, p := range phrases {
		if bytes.Contains(lower, []byte(p.phrase)) {
			return p.cause
		}
	}
	if c := ofStatus(statusIn(lower)); c != "" {
		return c
	}
	return events.CauseOther
}

// statusMarks precede an HTTP status in a text, all in lower case.
var statusMarks = [...]string{"status code ", "status ", "status: ", "[api error: ", "api error: ", "\"code\":", "\"code\": ", "http "}

// StatusIn returns the HTTP status of a failure in text: at the beginning or after one of statusMarks; 0 if there is none.
func StatusIn(text string) int { return statusIn([]byte(text)) }

func statusIn(text []byte) int {
	if n := number(text); n != 0 {
		return n
	}
	for _, mark := range statusMarks {
		for rest := text; ; {
			_, after, found := bytes.Cut(rest, []byte(mark))
			if !found {
				break
			}
			if n := number(after); n != 0 {
				return n
			}
			rest = after
		}
	}
	return 0
}

// number parses the status from 400 to 599 at the beginning of text.
func number(text []byte) int {
	if len(text) < 3 || text[0] != '4' && text[0] != '5' {
		return 0
	}
	n := 0
	for i := range 3 {
		if text[i] < '0' || text[i] > '9' {
			return 0
		}
		n = n*10 + int(text[i]-'0')
	}
	if len(text) > 3 && (text[3] >= '0' && text[3] <= '9' || text[3] >= 'a' && text[3] <= 'z') {
		return 0
	}
	return n
}
