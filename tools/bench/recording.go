package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// recording is a recorded session, cut at every ID of a session, a message or a call. Written with new IDs it is
// another session of the same length that requires the same work: nothing in it has been seen before.
type recording struct {
	provider string
	kind     string // stream or session
	pieces   []piece
}

// piece is text and the ID that follows it.
type piece struct{ text, id string }

func readRecording(path string) (*recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open recording: %w", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("unpack %q: %w", path, err)
	}
	defer z.Close()
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("unpack %q: %w", path, err)
	}
	r := cutRecording(string(all))
	r.provider, r.kind, _ = strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl.zst"), ".")
	return r, nil
}

func cutRecording(all string) *recording {
	r := &recording{}
	done := 0
	for i := 0; i < len(all); i++ {
		if all[i] == '\\' { // an escape, whose letter is not part of a word
			i++
			continue
		}
		end := i
		for end < len(all) && isWordByte(all[end]) {
			end++
		}
		if word := all[i:end]; isID(word) {
			r.pieces = append(r.pieces, piece{all[done:i], word})
			done = end
		}
		i = max(i, end-1)
	}
	r.pieces = append(r.pieces, piece{text: all[done:]})
	return r
}

// write writes the recording with the IDs of one repetition. Equal IDs stay equal.
func (r *recording) write(w io.Writer, repetition uint64) error {
	out := bufio.NewWriterSize(w, 1<<16)
	renamed := map[string]string{}
	for _, p := range r.pieces {
		id, ok := renamed[p.id]
		if !ok {
			id = rename(p.id, repetition)
			renamed[p.id] = id
		}
		for _, text := range [...]string{p.text, id} {
			if _, err := out.WriteString(text); err != nil {
				return fmt.Errorf("write %s again: %w", r.kind, err)
			}
		}
	}
	return out.Flush()
}
