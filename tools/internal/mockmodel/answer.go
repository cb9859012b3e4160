package mockmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// object is a JSON object.
type object = map[string]any

// answer writes one turn, as server-sent events or as a whole.
type answer struct {
	w       http.ResponseWriter
	r       *http.Request
	request *Request
	turn    *Turn
	id      string
	failed  bool
}

func newAnswer(w http.ResponseWriter, r *http.Request, request *Request, turn *Turn, n int) *answer {
	a := &answer{w: w, r: r, request: request, turn: turn, id: fmt.Sprintf("mock%06d", n)}
	kind := "application/json"
	if request.Stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	return a
}

// event sends one event; name is empty for formats without names.
func (a *answer) event(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil || a.failed {
		return
	}
	if name != "" {
		_, err = fmt.Fprintf(a.w, "event: %s\ndata: %s\n\n", name, b)
	} else {
		_, err = fmt.Fprintf(a.w, "data: %s\n\n", b)
	}
	a.failed = err != nil
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// whole sends the answer as one document.
func (a *answer) whole(v any) { a.failed = json.NewEncoder(a.w).Encode(v) != nil }

// pause waits in the middle of the answer, at most until the client disconnects.
func (a *answer) pause() {
	if a.turn.Wait <= 0 {
		return
	}
	timer := time.NewTimer(a.turn.Wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.r.Context().Done():
		a.failed = true
	}
}

// halves splits a text in two pieces for streaming.
func halves(s string) []string {
	r := []rune(s)
	if len(r) < 2 {
		return []string{s}
	}
	return []string{string(r[:len(r)/2]), string(r[len(r)/2:])}
}
