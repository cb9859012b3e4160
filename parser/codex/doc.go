// Package codex reads what OpenAI's Codex CLI writes.
package codex
