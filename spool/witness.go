package spool

import (
	"bytes"
	"io"
)

// witnessBytes is how many of the last bytes seen are compared.
const witnessBytes = 64

// witness recognizes that a program has truncated the spool that is its output, or has overwritten it, also if the file has grown
// again since the last poll. It keeps the last bytes seen, and the position at which the program has last written.
type witness struct {
	end      int64 // of the bytes seen
	last     []byte
	position int64 // the one last found behind the end of the file
}

// lost returns how many bytes that were in the file before are not there anymore. The file had the given size after the program
// had written up to position.
func (w *witness) lost(file io.ReaderAt, position, size int64) (lost int64) {
	if position > size && position != w.position { // what the program itself wrote reached further than the file does now
		w.position = position
		lost = position
	}
	if size < w.end || !bytes.Equal(w.last, before(file, w.end)) {
		lost = max(lost, w.end)
	}
	w.end, w.last = size, before(file, size)
	return lost
}

// before returns the last bytes before end; fewer if the file ends earlier.
func before(file io.ReaderAt, end int64) []byte {
	buf := make([]byte, min(witnessBytes, end))
	n, _ := file.ReadAt(buf, end-int64(len(buf))) // a reader reports what is wrong
	return buf[:n]
}
