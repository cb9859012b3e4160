package mockmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxRequest is the maximum size of a request's body, in bytes.
const maxRequest = 64 << 20

// Server is a running model server.
type Server struct {
	script Script
	http   *http.Server
	url    string

	mu     sync.Mutex
	served []Served
	ids    int
	other  []string
}

// Start starts a server on a free port of 127.0.0.1.
func Start(script Script) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{script: script, url: "http://" + listener.Addr().String()}
	s.http = &http.Server{Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(listener) }() // it returns ErrServerClosed after Close
	return s, nil
}

// URL returns the base address, without a path.
func (s *Server) URL() string { return s.url }

// Close stops the server and drops its connections.
func (s *Server) Close() error { return s.http.Close() }

// Served returns the model calls so far, including refused ones.
func (s *Server) Served() []Served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Served(nil), s.served...)
}

// Other returns the requests that are not model calls, as "METHOD PATH".
func (s *Server) Other() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.other...)
}

// route says how one wire format is read and written.
type route struct {
	api    API
	read   func(r *http.Request, body []byte) (Request, error)
	write  func(a *answer)
	refuse func(t *Turn) any
}

func routeOf(path string) (route, bool) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return route{APIMessages, readMessages, writeMessages, refuseMessages}, true
	case strings.HasSuffix(path, "/responses"):
		return route{APIResponses, readResponses, writeResponses, refuseOpenAI}, true
	case strings.HasSuffix(path, "/chat/completions"):
		return route{APICompletions, readCompletions, writeCompletions, refuseOpenAI}, true
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		return route{APIGemini, readGemini, writeGemini, refuseGemini}, true
	}
	return route{}, false
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		http.Error(w, "read body: "+err.Error(), http.StatusBadRequest)
		return
	}
	route, ok := routeOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		s.serveOther(w, r)
		return
	}
	request, err := route.read(r, body)
	if err != nil {
		http.Error(w, fmt.Sprintf("parse %s request: %v", route.api, err), http.StatusBadRequest)
		return
	}
	request.API, request.Body = route.api, body
	turn, n := s.next(&request)
	defer s.done(n)
	if turn.refused() {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(turn.Status)
		_ = json.NewEncoder(w).Encode(route.refuse(&turn)) // if this fails, the client has disconnected
		return
	}
	route.write(newAnswer(w, r, &request, &turn, n))
}

// next calls the script and assigns IDs to the calls.
func (s *Server) next(request *Request) (Turn, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := s.script(request)
	turn.Calls = append([]Call(nil), turn.Calls...)
	for i := range turn.Calls {
		if turn.Calls[i].ID == "" {
			s.ids++
			turn.Calls[i].ID = fmt.Sprintf("call_mock%04d", s.ids)
		}
	}
	s.served = append(s.served, Served{Request: *request, Turn: turn, At: time.Now()})
	return turn, len(s.served)
}

// done records that the nth answer has ended.
func (s *Server) done(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served[n-1].Done = time.Now()
}

// serveOther answers other requests of CLIs: token counts, lists of models, telemetry.
func (s *Server) serveOther(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.other = append(s.other, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":100}`)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":100}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[],"models":[]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"no such path","type":"not_found_error"}}`)
	}
}
