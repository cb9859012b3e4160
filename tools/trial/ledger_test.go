package trial

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/tools/internal/otlpsink"
)

// ledger is a sink that records what arrived, by ID: in which batch, from which files, in which life of the collector.
type ledger struct {
	server *httptest.Server
	// pause returns the delay of the answer to a batch; nil means none.
	pause func() time.Duration
	// refuse returns whether the nth delivery attempt, counted from 1, fails; nil means never.
	refuse func(n int) error

	mu      sync.Mutex
	lives   []time.Time // when each ended, except for the current one
	tries   int
	seen    map[string][]*batch
	content map[string]string        // content of a span or record, by ID
	texts   map[string]text          // text records, by ID
	odd     map[string][]string      // different content of repetitions
	roots   map[pcommon.TraceID]bool // whether a trace has its root span
	all     []*batch                 // in order of arrival
	last    time.Time
}

// batch is one accepted request.
type batch struct {
	life     int
	number   int // in ledger.all
	spans    bool
	files    map[string]bool
	pause    time.Duration
	answered time.Time // zero until it was answered
}

// lifeKey is the key of the life that a connection was made in.
type lifeKey struct{}

func newLedger(t *testing.T) *ledger {
	l := &ledger{seen: map[string][]*batch{}, content: map[string]string{}, texts: map[string]text{}, odd: map[string][]string{}, roots: map[pcommon.TraceID]bool{}, lives: make([]time.Time, 1)}
	l.server = httptest.NewUnstartedServer(http.HandlerFunc(l.serve))
	l.server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		l.mu.Lock()
		defer l.mu.Unlock()
		return context.WithValue(ctx, lifeKey{}, len(l.lives)-1)
	}
	l.server.Start()
	t.Cleanup(func() { l.server.Close() })
	return l
}

// down stops the sink, up starts it again at the same address.
func (l *ledger) down() { l.server.Close() }

func (l *ledger) up(t *testing.T) {
	t.Helper()
	old := l.server
	l.server = httptest.NewUnstartedServer(old.Config.Handler)
	l.server.Config.ConnContext = old.Config.ConnContext
	require.NoError(t, l.server.Listener.Close())
	var err error
	l.server.Listener, err = net.Listen("tcp", old.Listener.Addr().String())
	require.NoError(t, err)
	l.server.Start()
}

// await waits until a number of spans and records has arrived.
func (l *ledger) await(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.seen) >= n
	}, 5*time.Minute, 20*time.Millisecond)
}

// serve accepts a batch and records when the answer was sent.
func (l *ledger) serve(w http.ResponseWriter, r *http.Request) {
	var b *batch
	otlpsink.Handler(func(r *http.Request, data otlpsink.Batch) (err error) {
		b, err = l.take(r.Context().Value(lifeKey{}).(int), data)
		return err
	}).ServeHTTP(w, r)
	if b != nil {
		<-time.After(b.pause)
		l.mu.Lock()
		defer l.mu.Unlock()
		b.answered = time.Now()
	}
}

func (l *ledger) take(life int, data otlpsink.Batch) (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now()
	l.tries++
	if l.refuse != nil {
		if err := l.refuse(l.tries); err != nil {
			return nil, err
		}
	}
	b := &batch{life: life, number: len(l.all), files: map[string]bool{}}
	for resource, span := range data.Spans() {
		b.spans = true
		b.of(resource)
		l.roots[span.TraceID()] = l.roots[span.TraceID()] || span.ParentSpanID().IsEmpty()
		attrs := span.Attributes().AsRaw()
		id := fmt.Sprint("span ", span.TraceID(), span.SpanID(), span.Name(), " ", attrs[otlp.AttrGenAIConversationID])
		l.note(id, b, fmt.Sprint("under ", span.ParentSpanID(), " ", span.Status().Code(), " ", span.Status().Message(), " ", timesOf(attrs, span.StartTimestamp(), span.EndTimestamp()), attrs))
	}
	for resource, record := range data.Records() {
		if name := record.EventName(); name == otlp.EventNameStepStarted || name == otlp.EventNameProgress {
			continue // exported only live
		}
		b.of(resource)
		l.roots[record.TraceID()] = l.roots[record.TraceID()] || record.TraceID().IsEmpty() // no run has it
		attrs := record.Attributes().AsRaw()
		delete(attrs, otlp.AttrSequence) // may repeat after a restart (docs/delivery.md)
		id := fmt.Sprint("record ", attrs[otlp.AttrLogRecordUID])
		l.texts[id] = text{message: fmt.Sprint(attrs[otlp.AttrMessageID]), body: bodyOf(record), part: attrs[otlp.AttrDelta] != nil}
		l.note(id, b,
			fmt.Sprint(record.TraceID(), record.SpanID(), " ", record.SeverityNumber(), " ", bodyOf(record), " ", timesOf(attrs, record.Timestamp()), attrs))
	}
	if l.pause != nil {
		b.pause = l.pause()
	}
	l.all = append(l.all, b)
	return b, nil
}

// note records that something arrived, and its content.
func (l *ledger) note(id string, b *batch, content string) {
	l.seen[id] = append(l.seen[id], b)
	if first, known := l.content[id]; !known {
		l.content[id] = content
	} else if content != first {
		l.odd[id] = append(l.odd[id], content)
	}
}

// timesOf returns times from the format. Other times, of a file or an arrival, differ with every reading.
func timesOf(attrs map[string]any, times ...pcommon.Timestamp) string {
	if attrs[otlp.AttrTimeSource] == nil { // those of lines
		return fmt.Sprint(times, " ")
	}
	delete(attrs, otlp.AttrTimeSource)
	delete(attrs, otlp.AttrTimeClamped)
	delete(attrs, otlp.AttrElapsed)
	delete(attrs, otlp.AttrToolDuration)
	return ""
}

// duration matches a duration at the end of a body.
var duration = regexp.MustCompile(`, [0-9][0-9.]* ?(ms|s|min|h)( [0-9]+ (s|min))?$`)

// bodyOf returns the body of a record, without durations that do not come from the format.
func bodyOf(record plog.LogRecord) string {
	body := record.Body().AsString()
	if _, guessed := record.Attributes().Get(otlp.AttrTimeSource); !guessed {
		return body
	}
	return duration.ReplaceAllString(body, "")
}

func (b *batch) of(resource pcommon.Resource) {
	file, _ := resource.Attributes().Get("trial.file")
	b.files[file.Str()] = true
}

// ending records that the collector is being ended, begun that the next one may arrive.
func (l *ledger) ending() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lives[len(l.lives)-1] = time.Now()
}

func (l *ledger) begun() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lives = append(l.lives, time.Time{})
}

// quiet waits until nothing has arrived from c for a while.
func (l *ledger) quiet(t *testing.T, c *collectorRun) {
	t.Helper()
	l.mu.Lock()
	l.last = time.Now() // the collector has only just started
	l.mu.Unlock()
	c.ready()
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.seen) > 0 && time.Since(l.last) > 4*time.Second
	}, 5*time.Minute, 50*time.Millisecond)
}

// complete waits until c has exported all of files that are old: nothing has arrived for a while, and each trace has its root span.
func (l *ledger) complete(t *testing.T, c *collectorRun) {
	t.Helper()
	l.quiet(t, c)
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !slices.Contains(slices.Collect(maps.Values(l.roots)), false)
	}, time.Minute, 50*time.Millisecond, "each run is over")
}

// flight says how far a batch was processed when the collector was ended.
type flight int

const (
	// flightUnanswered was not answered by the sink.
	flightUnanswered flight = iota
	// flightUnwritten was answered less than saveDelay before the end, and the next batch of its files had not arrived: its
	// offset may not have been stored.
	flightUnwritten
	// flightLate was answered less than saveDelay before the end, and others of its files followed: the offset was waiting
	// for its group, or storing was slow.
	flightLate
	// flightOver was completely processed.
	flightOver
)

// saveDelay is how long an offset may wait to be stored (package tail, Restarts), plus the duration of a write.
const saveDelay = 1500 * time.Millisecond

// flightOf uses what arrived later in the same life. The spans and the records of one turn are two batches.
func (l *ledger) flightOf(b *batch) flight {
	end := l.lives[b.life]
	switch {
	case b.answered.IsZero() || b.answered.After(end):
		return flightUnanswered
	case end.Sub(b.answered) >= saveDelay:
		return flightOver
	}
	turn := b.spans // whether the next batch may be the records for these spans
	for _, next := range l.all[b.number+1:] {
		if next.life != b.life || !sharesFile(b, next) {
			continue
		}
		if turn && !next.spans {
			turn = false
			continue
		}
		return flightLate
	}
	return flightUnwritten
}

// over counts the batches that were completely processed when their life ended, and so must not be repeated.
func (l *ledger) over() (n int) {
	for _, b := range l.all {
		if !l.lives[b.life].IsZero() && l.flightOf(b) == flightOver {
			n++
		}
	}
	return n
}

func sharesFile(a, b *batch) bool {
	for file := range a.files {
		if b.files[file] {
			return true
		}
	}
	return false
}

// difference compares a ledger with the result of one life over the same files.
type difference struct {
	lost, foreign, sameLife []string
	twice                   map[flight][]string
	// altered lists what another life exported differently.
	altered []string
}

// text is the text of a record. part is true if the text was not over when the record was exported: a stream that is quiet for a
// second exports the whole lines of a text.
type text struct {
	message, body string
	part          bool
}

// inParts reports whether the records of parts make up a whole text.
func (l *ledger) inParts(whole text) bool {
	left := len(whole.body)
	for _, t := range l.texts {
		if t.part && t.message == whole.message && strings.Contains(whole.body, t.body) {
			left -= len(t.body)
		}
	}
	return left == 0 && whole.body != ""
}

func (l *ledger) compare(whole *ledger) difference {
	d, split := difference{twice: map[flight][]string{}}, map[string]bool{} // by message
	for id := range whole.seen {
		switch t := whole.texts[id]; {
		case len(l.seen[id]) > 0:
		case l.inParts(t):
			split[t.message] = true
		default:
			d.lost = append(d.lost, id+":\n"+whole.content[id])
		}
	}
	for id, batches := range l.seen {
		if t := l.texts[id]; len(whole.seen[id]) == 0 && !(t.part && split[t.message]) {
			d.foreign = append(d.foreign, id+":\n"+l.content[id])
		}
		for _, content := range append([]string{l.content[id]}, l.odd[id]...) {
			if want := whole.content[id]; want != "" && content != want {
				d.altered = append(d.altered, fmt.Sprintf("%s:\n%s\nnot\n%s", id, content, want))
			}
		}
		lives := map[int]bool{}
		for _, b := range batches {
			if lives[b.life] {
				d.sameLife = append(d.sameLife, id)
			}
			lives[b.life] = true
		}
		for _, b := range batches[:len(batches)-1] {
			f := l.flightOf(b)
			d.twice[f] = append(d.twice[f], id)
		}
	}
	return d
}

// again counts what arrived more than once.
func (d difference) again() int {
	n := 0
	for _, ids := range d.twice {
		n += len(ids)
	}
	return n
}

// livesWithBatches counts the lives in which something arrived.
func (l *ledger) livesWithBatches() int {
	lives := map[int]bool{}
	for _, b := range l.all {
		lives[b.life] = true
	}
	return len(lives)
}

// some returns the first of many, for a message.
func some(ids []string) []string {
	slices.Sort(ids)
	return ids[:min(len(ids), 5)]
}
