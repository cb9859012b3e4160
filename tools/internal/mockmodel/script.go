package mockmodel

import (
	"encoding/json"
	"time"
)

// API is a wire format.
type API string

// The wire formats.
const (
	APIMessages    API = "messages"    // Anthropic Messages
	APIResponses   API = "responses"   // OpenAI Responses
	APICompletions API = "completions" // OpenAI Chat Completions
	APIGemini      API = "gemini"      // Gemini generateContent
)

// Request is one model call as the script sees it.
type Request struct {
	API    API
	Model  string
	Stream bool
	// Tools are the names of the tools that the agent offers.
	Tools []string
	// System is the system prompt. Said is every text in the user's name, including the CLI's own context; Prompt is the
	// last of them.
	System, Said, Prompt string
	// Results are the texts of the tool results since the model's last message, in order.
	Results []string
	// Steps is the number of messages of the model since the user's last one.
	Steps int
	// Header is a header that distinguishes conversations, if the CLI sends one.
	Header map[string]string
	// Body is the request as received.
	Body []byte `json:"-"`
}

// Offers reports whether the agent offers a tool.
func (r *Request) Offers(tool string) bool {
	for _, name := range r.Tools {
		if name == tool {
			return true
		}
	}
	return false
}

// Tokens are the counts of one call. Input includes CacheRead and CacheWrite, Output includes Reasoning, whatever the
// arithmetic of the wire format is.
type Tokens struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int
}

// Call is a tool call that the model asks for.
type Call struct {
	ID   string // generated if empty
	Name string
	Args any // marshalled as JSON
	// Text is the input of a tool that takes text instead of arguments; only OpenAI Responses has such tools.
	Text string
	// Namespace is the group of tools that the name is from; only OpenAI Responses has such groups.
	Namespace string
}

func (c Call) arguments() []byte {
	b, err := json.Marshal(c.Args)
	if err != nil || c.Args == nil {
		return []byte("{}")
	}
	return b
}

// Turn is the answer to one request.
type Turn struct {
	Reasoning, Text string
	Calls           []Call
	Tokens          Tokens
	// Status is the HTTP status of a refusal; 0 or 200 means an answer. Cause is the error type in the format's own words.
	Status int
	Cause  string
	// Wait is how long the server waits in the middle of the answer, for kills and interrupts. It ends early with the request.
	Wait time.Duration
}

func (t *Turn) refused() bool { return t.Status != 0 && t.Status != 200 }

// Script returns the turn for a request. It is called by one goroutine at a time, in the order of arrival.
type Script func(*Request) Turn

// Served is a request and its answer. At is when the request was read, Done when the answer was written or abandoned;
// Done is zero until then.
type Served struct {
	Request  Request
	Turn     Turn
	At, Done time.Time
}
