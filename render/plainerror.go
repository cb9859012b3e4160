package render

import (
	"encoding/json"
	"strings"
)

// maxErrorText is the longest text that is searched for what a server's answer says, in bytes.
const maxErrorText = 64 << 10

// plainError is an error's text with the message of a server's JSON answer in place of that answer: of
// `status 400: {"error":{"message":"No such model."}}` it is "status 400: No such model.". Any other text is as it is.
func plainError(text string) string {
	at := strings.IndexByte(text, '{')
	if at < 0 || len(text) > maxErrorText {
		return text
	}
	answer := json.NewDecoder(strings.NewReader(text[at:]))
	var answered struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	if answer.Decode(&answered) != nil {
		return text
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(answered.Error, &inner) == nil && inner.Message != "" {
		answered.Message = inner.Message
	}
	if strings.TrimSpace(answered.Message) == "" {
		return text
	}
	return text[:at] + answered.Message + text[at+int(answer.InputOffset()):]
}
