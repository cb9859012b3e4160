package source

import (
	"testing"
)

func TestFilesReadsWhatIsThereAndWhatComes(t *testing.T) {
	w := newWorld(t)
	w.add("a.jsonl", "one\ntwo\n")
	w.begin()
	w.sink.wantLines(t, "one", "two")
	w.add("a.jsonl", "three\nha")
	w.sink.wantLines(t, "one", "two", "three")
	w.add("a.jsonl", "lf\n")
	w.sink.wantLines(t, "one", "two", "three", "half")
}
