package render

import (
	"encoding/json"
	"strings"
)

// maxErrorText is the longest text that is searched for what a server's answer says, in bytes.
const maxErrorText = 64 << 10

// spoken is an error's text with what it says in place of a server's answer in JSON: of
// `status 400: {"error":{"message":"No such model."}}` it is "status 400: No such model.". Any other text is as it is.
func spoken(text string) string {
	at := strings.IndexByte(text, '{')
	if at < 0 || len(text) > maxErrorText {
		return text
	}
	answer := json.NewDecoder(strings.NewReader(text[at:]))
	var told struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if answer.Decode(&told) != nil {
		return text
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(told.Error, &inner) == nil && inner.Message != "" {
		told.Message = inner.Message
	}
	if strings.TrimSpace(told.Message) == "" {
		return text
	}
	return text[:at] + told.Message + text[at+int(answer.InputOffset()):]
}
