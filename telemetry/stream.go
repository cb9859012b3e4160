package telemetry

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// Line says where events come from.
type Line struct {
	// Offset is the position of the line's first byte in its stream.
	Offset int64
	// Arrival is when the line was read; it counts as a time only if Live.
	Arrival time.Time
	// Live tells that the line was written while the stream was followed.
	Live bool
	// Silent moves the state on and hands nothing out: the line was accepted before a restart.
	Silent bool
}

// Stream is the fold of one stream.
type Stream struct {
	registry *Registry
	settings StreamSettings
	writer   recordWriter
	out      *batch // what this stream's own lines give

	mu        sync.Mutex // held while the fold is at work, also for a parent's sake
	sink      *batch     // where spans and records go now: out, or that of the stream whose line released them
	counts    Counts
	resource  *resource
	silent    bool
	newsFor   []*Stream // children that the line at work has news for
	agentName string    // what the stream calls its agent
	kinKey    agentKey  // the sub-agent that works in this stream, if it is one's
	live      bool      // the line at work was written while the stream was followed
	idle      bool      // all that was there has been read
	moved     time.Time // clock time of the last line

	run *run
	// seen are the ids of runs, agents, calls and model messages that had a span of their own.
	seenRuns, seenAgents, seenCalls, seenMessages occurrences
	// agents are the sub-agents at work, oldest first. They may outlive their run.
	agents []*agent
	// lingering are closed runs that have calls open: in the background, or told late.
	lingering []*run
	held      []held
	// lastTime is the newest time that a line told; unknown before the first.
	lastTime moment
	told     bool // some line told a time
	// lastOffset is where the last line was.
	lastOffset int64
	// What is kept over a restart; see [StreamState]. The last stepsLeft steps are yet to be done again.
	arrivals  []ArrivalMark
	steps     []*stepTaken
	stepsLeft int
	owed      *Place
	fed       bool // a line came
	restored  bool // a state was given
	again     bool // it is being folded silently
	// inFlight counts the hand-overs of other streams that have events of this one, from firstInFlight on.
	inFlight      int
	firstInFlight Place
	foreign       []uint64
	// announced are the agents that the stream told of and whose work may stand in streams of their own.
	announced []agentKey
	// processUsage is the running total that the last result told, by model.
	processUsage map[string]events.Usage
}

// held is an event that waits for its run's key or for a time.
type held struct {
	event  events.DisplayEvent
	at     moment
	origin origin
	silent bool // its line was folded silently
}

// origin is where an event stands in its stream: the line, and which one of its kind in it.
type origin struct {
	offset int64
	index  int // among all events of the line
	nth    int // among those of its kind and item
}

func newStream(r *Registry, s StreamSettings) *Stream {
	stream := &Stream{
		registry:     r,
		settings:     s,
		writer:       recordWriter{semconv: r.settings.Semconv, capture: r.settings.Capture, limits: r.settings.Limits},
		out:          newBatch(r.settings.Semconv.SchemaURL(), r.settings.Version),
		resource:     &resource{identity: s.Identity, agent: s.Agent},
		seenRuns:     newOccurrences(r.settings.Limits.RememberedIDs),
		seenAgents:   newOccurrences(r.settings.Limits.RememberedIDs),
		seenCalls:    newOccurrences(r.settings.Limits.RememberedIDs),
		seenMessages: newOccurrences(r.settings.Limits.RememberedIDs),
	}
	stream.restore(&s.State)
	return stream
}

// Feed folds the events of one line. Nothing of evs is kept.
func (s *Stream) Feed(line Line, evs []events.DisplayEvent) {
	s.work(line.Silent, func() { s.feed(line, evs) })
}

// work runs f on the fold, and then hands its news to the sub-agents that have streams of their own. What they give
// goes out with the line that f is about. No stream is locked while another is.
func (s *Stream) work(silent bool, f func()) {
	s.mu.Lock()
	s.sink, s.silent = s.out, silent
	f()
	told := s.news()
	s.mu.Unlock()
	for len(told) > 0 {
		child := told[0]
		told = told[1:]
		if child == s {
			s.mu.Lock()
			s.advance()
			told = append(told, s.news()...)
			s.mu.Unlock()
			continue
		}
		child.mu.Lock()
		child.sink, child.silent = s.out, silent
		child.hear()
		told = append(told, child.news()...)
		child.mu.Unlock()
	}
}

// news takes the list of children to tell.
func (s *Stream) news() []*Stream {
	told := s.newsFor
	s.newsFor = nil
	return told
}

// hear takes in what another stream told. What comes of it goes out with the other's line, and until that is accepted it
// is still owed. A stream that is being folded silently again hears of it when it is done with that.
func (s *Stream) hear() {
	if s.again {
		return
	}
	held := len(s.held)
	var first Place
	if held > 0 {
		first = Place{s.held[0].origin.offset, s.held[0].origin.index}
	}
	s.advance()
	if len(s.held) == held {
		return
	}
	if s.inFlight == 0 {
		s.firstInFlight = first
	}
	s.inFlight++
	s.sink.out.steps = append(s.sink.out.steps, givenStep{stream: s})
}

// advance does what the stream could not do before something was told by another.
func (s *Stream) advance() {
	s.release(false)
	s.settle()
}

func (s *Stream) feed(line Line, evs []events.DisplayEvent) {
	if s.stepsLeft > 0 {
		before := line.Offset
		if !line.Silent {
			before = math.MaxInt64
		}
		s.catchUp(before)
		s.silent = line.Silent
	}
	s.idle, s.live, s.lastOffset, s.fed = false, line.Live && !line.Silent, line.Offset, true
	s.again = line.Silent
	if line.Silent {
		if mark, ok := s.arrived(line.Offset); ok {
			line.Live, line.Arrival = true, time.UnixMilli(mark.Time)
		}
	} else if line.Live && !s.told {
		s.markArrival(line)
	}
	s.moved = s.registry.settings.Now()
	var nth counter
	for i := range evs {
		ev := &evs[i]
		o := origin{offset: line.Offset, index: i, nth: nth.next(ev)}
		s.silent = line.Silent && s.wasGiven(o)
		at := s.timeOf(ev, line)
		if line.Silent && s.restored && !s.silent {
			s.hold(ev, at, o) // it is owed still, and goes out when all is as it was
			continue
		}
		if len(s.held) == 0 && at.known() && !s.run.opens(ev) {
			s.apply(ev, at, o)
			continue
		}
		s.hold(ev, at, o)
		s.release(len(s.held) > s.registry.settings.Limits.HeldEvents)
	}
	if len(evs) > 0 && s.run != nil && s.run.inPipeline && !s.silent {
		s.registry.runMoved(s.run.resource)
	}
}

// Raw hands lines on as they are, each as a record tailspan.raw. Several come under one position where they waited for
// the provider to be told.
func (s *Stream) Raw(line Line, lines [][]byte) {
	for i, data := range lines {
		s.raw(line, i, data)
	}
}

// RawCopy hands on a line that is understood too, marked as a copy.
func (s *Stream) RawCopy(line Line, data []byte) {
	if lr, ok := s.raw(line, -1, data); ok {
		lr.Attributes().PutBool(AttrRawCopy, true)
	}
}

func (s *Stream) raw(line Line, index int, data []byte) (lr plog.LogRecord, ok bool) {
	if line.Silent {
		return lr, false
	}
	at := moment{s.settings.FileTime, TimeSourceFile}
	if line.Live || at.at.IsZero() {
		at = moment{line.Arrival, TimeSourceArrival}
	}
	lr = s.out.record(s.resource)
	lr.SetEventName(EventNameRaw)
	lr.Body().SetStr(strings.ToValidUTF8(string(data), "\ufffd"))
	lr.SetSeverityNumber(plog.SeverityNumberInfo)
	lr.SetSeverityText("INFO")
	s.stamp(lr, at)
	lr.Attributes().PutStr(AttrLogRecordUID, recordUID(index, s.settings.Agent.Provider, s.settings.ID, strconv.FormatInt(line.Offset, 10)))
	return lr, true
}

// Idle tells that all that was there has been read: what waits for a time will not find one in what comes before long.
func (s *Stream) Idle() {
	s.work(false, func() {
		s.catchUp(math.MaxInt64)
		s.silent, s.idle, s.again = false, true, false
		s.release(false)
		if !s.told && slices.ContainsFunc(s.held, func(h held) bool { return !h.at.known() }) {
			s.done(StepDate, s.sink)
			s.date(moment{s.settings.FileTime, TimeSourceFile})
			s.release(false)
		}
		s.settle()
	})
}

// settle closes the run of a sub-agent in a stream of its own: its call is over, and the stream has nothing more.
func (s *Stream) settle() {
	if s.run == nil || s.run.closed || s.run.kin == (agentKey{}) || !s.idle || len(s.run.calls.open) > 0 {
		return
	}
	if k := s.registry.kinNow(s.run.kin); k.ended {
		s.silent = false // had it been closed before a restart, it would be closed
		s.done(StepEnd, s.sink)
		s.closeRun(s.run, k.reason)
	}
}

// expire closes the run of a sub-agent that has been quiet since before, although its call is not known or it has calls
// open: its parent is over, so nothing more will come.
func (s *Stream) expire(into *batch, before time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil || s.run.closed || s.run.kin == (agentKey{}) || s.moved.After(before) {
		return
	}
	k := s.registry.kinNow(s.run.kin)
	if !k.ended && !s.run.ref.ended.Load() {
		return
	}
	s.sink, s.silent = into, false
	s.done(StepEnd, into)
	s.closeRun(s.run, cmp.Or(k.reason, CloseReasonResult))
}

// Close ends the stream: what waits comes out, and what is open is closed for reason.
func (s *Stream) Close(reason CloseReason) {
	s.work(false, func() {
		s.catchUp(math.MaxInt64)
		s.silent = false
		s.done(StepClose, s.sink)
		s.close(reason)
	})
	s.registry.leave(s)
}

func (s *Stream) close(reason CloseReason) {
	s.date(moment{s.settings.FileTime, TimeSourceFile})
	s.release(true)
	if s.run != nil && !s.run.closed {
		if (reason == CloseReasonNoResult || reason == CloseReasonTimeout) && !s.run.hasStart && len(s.run.calls.open) == 0 {
			reason = CloseReasonResult // a transcript tells no results: its end is the end of the last turn
		}
		s.closeRun(s.run, reason)
	}
	for _, a := range s.innermostFirst() {
		s.closeAgent(a, reason, reason != CloseReasonShutdown)
	}
	for _, r := range s.lingering {
		for _, c := range slices.Clone(r.calls.open) {
			s.closeCall(c, failure(reason))
		}
	}
	s.lingering, s.announced = nil, nil
}

// Take returns what the fold has to hand on since the last call.
func (s *Stream) Take() Output {
	out := s.out.take()
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Counts = s.counts
	s.counts = Counts{}
	return out
}

// SetIdentity changes whose work what follows is.
func (s *Stream) SetIdentity(id Identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resource = &resource{identity: id, agent: s.resource.agent, version: s.resource.version}
}

// timeOf is the time of an event; unknown if nothing so far tells one.
func (s *Stream) timeOf(ev *events.DisplayEvent, line Line) moment {
	switch {
	case plausible(ev.Time):
		s.lastTime = moment{ev.Time, TimeSourceCarried}
		s.told = true
		own := moment{ev.Time, TimeSourceLine}
		s.date(s.lastTime)
		return own
	case s.told:
		return s.lastTime
	case line.Live:
		s.date(moment{line.Arrival, TimeSourceArrival})
		return moment{line.Arrival, TimeSourceArrival}
	default:
		return moment{}
	}
}

// plausible refuses times that no agent ran at: garbage, and zero in its many spellings.
func plausible(t time.Time) bool { return t.Year() >= 2000 && t.Year() < 2200 }

// date gives m to all that waits for a time. A time that a line told is also better than that of arrival: a first line
// without one was written before it.
func (s *Stream) date(m moment) {
	for i := range s.held {
		if h := &s.held[i]; !h.at.known() || h.at.source == TimeSourceArrival && m.source == TimeSourceCarried {
			h.at = m
		}
	}
}

func (s *Stream) hold(ev *events.DisplayEvent, at moment, o origin) {
	h := held{event: *ev, at: at, origin: o, silent: s.silent}
	h.event.Tool.Input, h.event.Tool.Output = nil, nil
	if s.writer.capture.ToolInput {
		h.event.Tool.Input = slices.Clone(ev.Tool.Input)
	}
	if s.writer.capture.ToolOutput {
		h.event.Tool.Output = slices.Clone(ev.Tool.Output)
	}
	s.held = append(s.held, h)
}

// release applies what no longer has to wait: the time is known, and so is the key of the run. With force nothing waits.
//
// An event that is new goes out, whatever released it, and so does one that waited when the stream's state was kept.
// Where no state is known, an event of a silent line went out if a silent line releases it.
func (s *Stream) release(force bool) {
	done, silent := 0, s.silent
	defer func() { s.silent = silent }()
	for done < len(s.held) {
		h := &s.held[done]
		if !h.at.known() {
			if !force {
				break
			}
			h.at = s.fallbackTime()
		}
		s.silent = h.silent && (silent || s.restored)
		if s.run.opens(&h.event) && !s.tryOpenRun(s.held[done:], force) {
			break
		}
		s.apply(&h.event, h.at, h.origin)
		done++
	}
	s.held = slices.Delete(s.held, 0, done)
}

// tryOpenRun opens the run that waiting begins with; false while it is not known what it is.
func (s *Stream) tryOpenRun(waiting []held, force bool) bool {
	if key := s.kin(waiting); key != (agentKey{}) {
		if ref := s.registry.seekRun(s, key, s.turnOf(waiting)); ref != nil {
			s.openRun(ref.key, waiting)
			s.adopt(key, ref)
			return true
		}
		if !force {
			return false
		}
		// The parent never came: a trace of its own, with a mark.
		s.openRun(cmp.Or(s.runKeyForced(waiting), key.agent), waiting)
		s.run.orphan, s.run.subAgent = key.agent, true
		return true
	}
	key, ok := s.runKey(waiting, force)
	if ok {
		s.openRun(key, waiting)
	}
	return ok
}

// kin is the sub-agent that works in this stream; the first event that tells decides for all.
func (s *Stream) kin(waiting []held) agentKey {
	for i := range waiting {
		if s.kinKey != (agentKey{}) || s.run != nil {
			break
		}
		s.kinKey = kinKeyOf(s.settings.Agent.Provider, &waiting[i].event)
	}
	return s.kinKey
}

func (s *Stream) turnOf(waiting []held) turnKey {
	for i := range waiting {
		if ev := &waiting[i].event; ev.TurnID != "" {
			return turnKey{s.settings.Agent.Provider, ev.SessionID, ev.TurnID}
		}
	}
	return turnKey{}
}

func (s *Stream) runKeyForced(waiting []held) string {
	key, _ := s.runKey(waiting, true)
	return key
}

// fallbackTime is for events that can wait no longer.
func (s *Stream) fallbackTime() moment {
	if s.settings.FileTime.IsZero() {
		return moment{s.registry.settings.Now(), TimeSourceArrival}
	}
	return moment{s.settings.FileTime, TimeSourceFile}
}

// runKey finds the key of the run that waiting begins with; ok is false while it may still be told.
func (s *Stream) runKey(waiting []held, force bool) (key string, ok bool) {
	over := false
	for i := range waiting {
		ev := &waiting[i].event
		if modelSaid(ev) {
			return ev.MessageID, true
		}
		if modelWorks(ev) {
			return s.fallbackKey(waiting), true // the format names no messages, so nothing better will come
		}
		if over = ends(ev) || i > 0 && ev.Kind == events.KindSessionStarted && startsTwice(waiting[:i]); over {
			break
		}
	}
	if !over && !force {
		return "", false
	}
	return s.fallbackKey(waiting), true
}

// startsTwice reports whether a start line stands in waiting, so that another begins a new run.
func startsTwice(waiting []held) bool {
	return slices.ContainsFunc(waiting, func(h held) bool { return h.event.Kind == events.KindSessionStarted })
}

// fallbackKey names a run in which no model said anything.
func (s *Stream) fallbackKey(waiting []held) string {
	session := ""
	for i := range waiting {
		ev := &waiting[i].event
		if ev.TurnID != "" {
			return ev.TurnID
		}
		if session == "" {
			session = ev.SessionID
		}
	}
	for i := range waiting {
		if id := waiting[i].event.ItemID; id != "" && session != "" {
			return session + "/" + id
		}
	}
	return s.settings.ID + "@" + strconv.FormatInt(waiting[0].origin.offset, 10)
}

// counter numbers the events of a line among those of their kind and item.
type counter struct {
	item  string
	kinds [64]uint8
}

func (c *counter) next(ev *events.DisplayEvent) int {
	if ev.ItemID != c.item {
		*c = counter{item: ev.ItemID}
	}
	k := int(ev.Kind) % len(c.kinds)
	n := c.kinds[k]
	if n < 255 {
		c.kinds[k]++
	}
	return int(n)
}
