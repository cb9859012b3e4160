package batch

import (
	"cmp"
	"errors"
	"slices"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Sender sends batches to a consumer in parts. The zero value has no limit and sets no mark.
type Sender struct {
	// Limit is the maximum size of a part, in bytes; one element may be larger. 0: none.
	Limit int
	// Mark is the attribute that is set to true on an element that was cut.
	Mark string
	// Split, if set, is called for each part that is halved after a refusal; Cut, for each element that is cut.
	Split, Cut func()
}

// ErrRefused is the error of a part that a consumer refuses for good, which says nothing about the next part.
var ErrRefused = errors.New("refused")

// Part is what a consumer is offered.
type Part[B any] struct {
	Batch B
	// Elements is the number of its spans, log records or data points.
	Elements int
	// Last is true if it was refused for its size and can't be made smaller.
	Last bool
}

// Traces passes td to send, part by part. After an error that [IsTooLarge] recognizes it sends smaller parts, unless the part
// is the last; after [ErrRefused] it sends the next part; any other error ends it. It returns the error with the spans that
// send did not accept.
func (s *Sender) Traces(td ptrace.Traces, send func(Part[ptrace.Traces]) error) (ptrace.Traces, error) {
	return run(s, &traces, td, send)
}

// Logs passes ld to send as [Sender.Traces] does.
func (s *Sender) Logs(ld plog.Logs, send func(Part[plog.Logs]) error) (plog.Logs, error) {
	return run(s, &logs, ld, send)
}

// Metrics passes md to send as [Sender.Traces] does. It never cuts a data point.
func (s *Sender) Metrics(md pmetric.Metrics, send func(Part[pmetric.Metrics]) error) (pmetric.Metrics, error) {
	return run(s, &metrics, md, send)
}

func run[B any](s *Sender, of *signal[B], b B, send func(Part[B]) error) (B, error) {
	queue := bounded(of, b, s.Limit)
	var refused []B
	var refusal error
	for len(queue) > 0 {
		part := Part[B]{Batch: queue[0], Elements: of.elements(queue[0])}
		err := send(part)
		if IsTooLarge(err) {
			if smaller := reduced(s, of, part); smaller != nil {
				queue = slices.Replace(queue, 0, 1, smaller...)
				continue
			}
			part.Last = true
			err = send(part)
		}
		switch {
		case errors.Is(err, ErrRefused):
			refused, refusal = append(refused, queue[0]), cmp.Or(refusal, err)
		case err != nil:
			return joined(of, append(refused, queue...)), err
		}
		queue = queue[1:]
	}
	if len(refused) > 0 {
		return joined(of, refused), refusal
	}
	return of.empty(), nil
}

// bounded halves b until each part is within limit or is one element.
func bounded[B any](of *signal[B], b B, limit int) []B {
	if limit <= 0 || of.within(b, limit) {
		return []B{b}
	}
	if of.readOnly(b) {
		b = of.clone(b)
	}
	second := of.halve(b)
	return append(bounded(of, b, limit), bounded(of, second, limit)...)
}

// within reports whether a batch is within limit, or has at most one element.
func (of *signal[B]) within(b B, limit int) bool {
	n := of.elements(b)
	return n <= 1 || n >= sampleFrom && of.estimate(b) <= limit || of.size(b) <= limit
}

// reduced returns smaller parts of one that was refused for its size, or nil if it can't be made smaller.
func reduced[B any](s *Sender, of *signal[B], refused Part[B]) []B {
	b := of.clone(refused.Batch)
	if refused.Elements > 1 {
		notify(s.Split)
		return []B{b, of.halve(b)}
	}
	size := of.size(b)
	target := size / 2
	if s.Limit > 0 && size > s.Limit {
		target = s.Limit
	}
	switch of.cut(b, target, s.Mark) {
	case cutNone:
		return nil
	case cutFirst:
		notify(s.Cut)
	}
	return []B{b}
}

func notify(f func()) {
	if f != nil {
		f()
	}
}

// joined joins the waiting parts into one batch. It copies the first, which a consumer may still read.
func joined[B any](of *signal[B], queue []B) B {
	if len(queue) == 1 {
		return queue[0]
	}
	b := of.clone(queue[0])
	for _, next := range queue[1:] {
		of.join(b, next)
	}
	return b
}
