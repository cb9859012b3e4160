// Package openai parses the responses of servers that implement the HTTP API of OpenAI: chat completions, whole and streamed,
// and the Responses API, from OpenAI, Azure, vLLM, llama.cpp, Ollama, LiteLLM, OpenRouter, DeepSeek, Mistral, Gemini's
// endpoint, Groq, xAI, Perplexity, Portkey and similar ones.
//
// The input is the bodies as sent: one per line, one over many lines (passed as one line), arrays of bodies, one chunk per
// line, or the lines of a stream of server-sent events. There are no headers and no status codes, so only the body shows a
// failure. A [Parser] turns one file or stream into events, in one goroutine.
//
// # Answers
//
// An answer is one whole body, or all pieces of one stream. When it has ended, the parser emits it at once: for each choice
// its Reasoning, Text and ToolUse; a Notice if it was cut; Usage; and SessionEnded, since the format does not say whether
// another answer follows. Type answer shows when a stream has ended, and type frame describes its lines.
//
//	record                                     meaning
//	choices with message                       a whole answer
//	choices with delta                         a piece of one
//	object "response"                          a whole answer of the Responses API; none while it is queued or in progress
//	type "response.*"                          a piece of one; whole items decide, deltas are kept in case the stream is cut
//	message and done                           a piece or the whole of an answer, in Ollama's own form
//	error, detail, message and a code, ...     SessionEnded with the error
//	messages, or model with input              a request: ToolResult once for each call, Prompt for what the user added
//
// # Quirks, and their fixtures
//
//   - The index of a call's pieces is missing, used twice, or begins at one (case-tool-index-missing,
//     case-tool-index-reused, quirks-stream); see answers.continued.
//   - Call IDs are missing, empty, numbers, or repeated in one body (malformed): two entries are two calls, and the ID of
//     a call without one consists of the answer's ID and the number of the call.
//   - Arguments are an object, or JSON in a string, or that in a string again, or cut (malformed).
//   - Usage comes at the end, or on every chunk as a running total, or twice (case-usage-every-chunk, quirks-stream).
//   - finish_reason says nothing about calls; "" and null mean none; error and insufficient_system_resource are failures.
//   - Reasoning has six names, or is in a <think> block at the head of the content (llamacpp-chat).
//   - Body IDs are not unique (gateway-chat): two bodies with one ID are two answers.
//   - A stream can lack [DONE], or its end; an answer that is cut has no SessionEnded (truncated-stream).
//   - An event can span several data lines (quirks-stream), which only the next line or Flush can show: see type frame.
//
// # Lifetime
//
// As in package events. The Input of a call in a whole body may point into the line that was passed, so the caller must
// not change the line until the next call.
//
// # Limits
//
// A streamed answer is limited to 16 MiB, 128 choices, 4,096 calls and 1,024 unfinished items. The parser drops and
// counts what exceeds that, except for whole items, which it emits early. An event of several lines is limited to
// 16 MiB. A parser remembers the names of 16,384 calls, 16,384 results in requests, and 4,096 items of each of
// 1,024 background responses. The oldest are evicted first. It reads 256 members of an object.
//
// # Sources
//
// Bodies of @portkey-ai/gateway 1.15.2 (npm), captured 2026-11-27. For the Responses API, the types of npm openai
// 7.59.0: docs/formats/openai_compatible.md lists its stream events and output items. The public references of the
// servers named above, and bodies in ollama#7881, openai-python#2806, openai-python#3246, openai-python#3410,
// litellm#16272, openai-php/client#780 and mistral.rs#1507, read 2026-11.
package openai
