package pipelinefuzz

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// writer writes sessions in the minimal form of each provider's stream. IDs repeat within and between sessions, like
// those of proxies and of servers that number their answers.
type writer struct {
	rng     *rand.Rand
	kind    string
	session string
	now     int64
	lines   [][]byte
}

// w returns a random ID out of n.
func w(rng *rand.Rand, prefix string, n int) string { return fmt.Sprintf("%s-%d", prefix, rng.IntN(n)) }

func (w *writer) put(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		return // an object of strings and numbers can always be encoded
	}
	w.lines = append(w.lines, append(line, '\n'))
}

type object = map[string]any

func (w *writer) words() string {
	n := 1 + w.rng.IntN(12)
	if w.rng.IntN(60) == 0 {
		n = 4000
	}
	return strings.Repeat(w.id("word", 40)+" ", n)
}

func (w *writer) id(prefix string, n int) string { return fmt.Sprintf("%s-%d", prefix, w.rng.IntN(n)) }

func (w *writer) time() string {
	w.now += w.rng.Int64N(20)
	return time.Unix(w.now, 0).UTC().Format(time.RFC3339)
}

func (w *writer) tokens() int { return w.rng.IntN(5000) }

func (w *writer) claudeStream() {
	w.kind = "claude"
	for range 1 + w.rng.IntN(3) {
		w.put(object{"type": "system", "subtype": "init", "session_id": w.session, "model": "claude-demo", "cwd": "/w", "tools": []string{"Bash"}})
		for range w.rng.IntN(6) {
			call, message := w.id("toolu", 30), w.id("msg", 30)
			usage := object{"input_tokens": w.tokens(), "output_tokens": w.tokens(), "cache_read_input_tokens": w.tokens()}
			w.put(object{"type": "assistant", "session_id": w.session, "message": object{"id": message, "role": "assistant", "model": "claude-demo", "usage": usage,
				"content": []object{{"type": "text", "text": w.words()}}}})
			if w.rng.IntN(2) == 0 {
				continue
			}
			w.put(object{"type": "assistant", "session_id": w.session, "message": object{"id": message, "role": "assistant", "model": "claude-demo", "usage": usage,
				"content": []object{{"type": "tool_use", "id": call, "name": "Bash", "input": object{"command": w.words()}}}}})
			if w.rng.IntN(4) > 0 {
				w.put(object{"type": "user", "session_id": w.session, "message": object{"role": "user",
					"content": []object{{"type": "tool_result", "tool_use_id": call, "content": w.words(), "is_error": w.rng.IntN(4) == 0}}}})
			}
		}
		if w.rng.IntN(4) > 0 {
			w.put(object{"type": "result", "subtype": "success", "is_error": w.rng.IntN(5) == 0, "session_id": w.session, "result": w.words(), "duration_ms": w.rng.IntN(90000),
				"total_cost_usd": float64(w.rng.IntN(300)) / 100, "usage": object{"input_tokens": w.tokens(), "output_tokens": w.tokens()}})
		}
	}
}

func (w *writer) codexStream() {
	w.kind = "codex"
	w.put(object{"type": "thread.started", "thread_id": w.session})
	for range 1 + w.rng.IntN(2) {
		w.put(object{"type": "turn.started"})
		for range w.rng.IntN(8) {
			item := w.id("item", 12)
			if w.rng.IntN(2) == 0 {
				w.put(object{"type": "item.completed", "item": object{"id": item, "type": "agent_message", "text": w.words()}})
				continue
			}
			command := object{"id": item, "type": "command_execution", "command": w.words(), "status": "in_progress"}
			w.put(object{"type": "item.started", "item": command})
			if w.rng.IntN(4) > 0 {
				command["status"], command["exit_code"], command["aggregated_output"] = "completed", w.rng.IntN(3), w.words()
				w.put(object{"type": "item.completed", "item": command})
			}
		}
		switch w.rng.IntN(4) {
		case 0:
			w.put(object{"type": "turn.failed", "error": object{"message": w.words()}})
		case 1:
		default:
			w.put(object{"type": "turn.completed", "usage": object{"input_tokens": w.tokens(), "cached_input_tokens": w.rng.IntN(100), "output_tokens": w.tokens()}})
		}
	}
}

func (w *writer) geminiStream() {
	w.kind = "gemini"
	w.put(object{"type": "init", "timestamp": w.time(), "session_id": w.session, "model": "gemini-demo"})
	for range w.rng.IntN(8) {
		w.put(object{"type": "message", "timestamp": w.time(), "role": "assistant", "content": w.words(), "delta": true})
		if w.rng.IntN(2) == 0 {
			continue
		}
		call := w.id("call", 30)
		w.put(object{"type": "tool_use", "timestamp": w.time(), "tool_name": "run_shell_command", "tool_id": call, "parameters": object{"command": w.words()}})
		if w.rng.IntN(4) > 0 {
			w.put(object{"type": "tool_result", "timestamp": w.time(), "tool_id": call, "status": "success", "output": w.words()})
		}
	}
	if w.rng.IntN(3) > 0 {
		w.put(object{"type": "result", "timestamp": w.time(), "status": "success", "stats": object{"total_tokens": 9, "input_tokens": w.tokens(), "output_tokens": w.tokens(), "duration_ms": 30}})
	}
}

func (w *writer) completions() {
	w.kind = "openai"
	for range 1 + w.rng.IntN(5) {
		message := object{"role": "assistant", "content": w.words()}
		if w.rng.IntN(3) == 0 {
			message["tool_calls"] = []object{{"id": w.id("call", 30), "type": "function", "function": object{"name": "shell", "arguments": `{"command":"ls"}`}}}
		}
		w.put(object{"id": w.id("chatcmpl", 99), "object": "chat.completion", "created": w.now, "model": "demo",
			"choices": []object{{"index": 0, "message": message, "finish_reason": "stop"}},
			"usage":   object{"prompt_tokens": w.tokens(), "completion_tokens": w.tokens(), "total_tokens": 1}})
	}
}
