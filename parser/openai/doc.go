// Package openai reads the responses of servers that speak the HTTP API of OpenAI: chat completions, whole and streamed,
// and the Responses API; of OpenAI itself, Azure, vLLM, llama.cpp, Ollama, LiteLLM, OpenRouter, DeepSeek, Mistral,
// Gemini's endpoint, Groq, xAI, Perplexity, Portkey and their like.
//
// In go the bodies as they were sent: one a line, one over many lines (given as one line), arrays of them, chunks one a
// line, or the lines of a stream of server-sent events. Out come events. There are no headers and no status codes, so a
// failure shows in the body alone. A [Parser] serves one file or stream from one goroutine.
//
// # Answers
//
// An answer is one whole body, or all pieces of one stream. It gives, in one burst when it has ended: for each choice
// its Reasoning, Text and ToolUse; a Notice if it was cut short; Usage; and SessionEnded, since nothing in the format
// says that another answer follows. See type answer for when a stream has ended, and type frame for its lines.
//
//	record                                     gives
//	choices with message                       a whole answer
//	choices with delta                         a piece of one
//	object "response"                          a whole answer of the Responses API; none while it is queued or in progress
//	type "response.*"                          a piece of one; the whole items decide, deltas are kept for a stream that is cut
//	message and done                           a piece or the whole of an answer, in Ollama's own form
//	error, detail, message and a code, ...     SessionEnded with the error
//	messages, or model with input              a request: ToolResult once for each call, Prompt for what the user added
//
// # Quirks, and their fixtures
//
//   - A call's pieces come under an index that is missing, used twice, or begins at one (case-tool-index-missing,
//     case-tool-index-reused, quirks-stream); see answers.continued.
//   - Ids of calls are missing, empty, numbers, or twice the same in one body (malformed): two entries are two calls, and
//     one without an id gets one made of the answer's id and its number.
//   - Arguments are an object, or JSON in a string, or that in a string again, or cut (malformed).
//   - Usage comes at the end, or on every chunk as a running total, or twice (case-usage-every-chunk, quirks-stream).
//   - finish_reason says nothing of calls; "" and null are none; error and insufficient_system_resource are failures.
//   - Thinking goes by six names, or is in a <think> block at the head of the content (llamacpp-chat).
//   - Body ids are not unique (gateway-chat): two bodies of one id are two answers.
//   - A stream can lack [DONE], or its end; an answer that is cut has no SessionEnded (truncated-stream).
//   - An event can span several data lines (quirks-stream), which only the next line or Flush can show: see Torn.
//
// # Lifetime
//
// As in package events. Input of a whole body's call may point into the line that was passed, so the line must stay as it
// is until the next call.
//
// # Limits
//
// A streamed answer is held up to 16 MiB, 128 choices, 4,096 calls and 1,024 unfinished items; what comes beyond is
// dropped and counted, but whole items, which go out early then. An event of several lines is held up to 16 MiB. A
// parser remembers the names of 16,384 calls, 16,384 results in requests, and of 1,024 responses that run in the
// background 4,096 items each; the oldest are evicted first. Of an object's members 256 are looked at.
//
// # Sources
//
// Bodies of @portkey-ai/gateway 1.15.2 (npm), captured 2026-11-27. The types of npm openai 7.59.0 for the Responses API:
// its stream events and output items are listed in docs/formats/openai_compatible.md. The public references of the
// servers named above, and bodies in ollama#7881, openai-python#2806, openai-python#3246, openai-python#3410,
// litellm#16272, openai-php/client#780 and mistral.rs#1507, read 2026-11.
package openai
