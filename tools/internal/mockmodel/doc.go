// Package mockmodel is a model server that plays a script, for tests with real agent CLIs. It speaks Anthropic Messages,
// OpenAI Responses, OpenAI Chat Completions and Gemini generateContent, streamed and whole, as far as the CLIs need them.
//
// A [Script] returns the [Turn] for each [Request]: text, reasoning, tool calls, tokens, or an HTTP error. The server
// records what it served ([Server.Served]), with which tests compare spans. It listens only on 127.0.0.1, accepts any key,
// and stores none.
//
// Facts about the wire formats come from the requests and recordings of Claude Code 2.1, Codex 0.171, Gemini CLI 0.61,
// OpenCode 1.18 and Qwen Code 0.24.
package mockmodel
