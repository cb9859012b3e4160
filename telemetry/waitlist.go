package telemetry

import "container/list"

// waitlist has streams by what they wait for, in the order in which they came. A session may have thousands of sub-agents
// in streams of their own, so to enter one and to take one out does not go through the others.
type waitlist map[any]*list.List

// add enters a stream under a key, once.
func (w waitlist) add(key any, s *Stream) {
	if s.awaits[key] != nil {
		return
	}
	if w[key] == nil {
		w[key] = list.New()
	}
	if s.awaits == nil {
		s.awaits = map[any]*list.Element{}
	}
	s.awaits[key] = w[key].PushBack(s)
}

// take takes out the streams that wait for a key.
func (w waitlist) take(key any) []*Stream {
	waiting := w[key]
	if waiting == nil {
		return nil
	}
	delete(w, key)
	streams := make([]*Stream, 0, waiting.Len())
	for e := waiting.Front(); e != nil; e = e.Next() {
		s := e.Value.(*Stream)
		delete(s.awaits, key)
		streams = append(streams, s)
	}
	return streams
}

// remove takes a stream out of all that it waits for.
func (w waitlist) remove(s *Stream) {
	for key, e := range s.awaits {
		if w[key].Remove(e); w[key].Len() == 0 {
			delete(w, key)
		}
	}
	s.awaits = nil
}
