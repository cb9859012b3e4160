// Package spantree draws spans as a text tree, for golden files and for people.
//
// Spans of several exports may be passed together. A span whose parent is not among them is at the top, with its parent's ID,
// so that a golden file shows an orphan. Siblings are ordered by start time.
package spantree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type node struct {
	span     ptrace.Span
	resource pcommon.Map
	children []*node
}

type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// Draw returns the trees of all traces, in the order of their first spans' start. Times are relative to that start.
func Draw(exports ...ptrace.Traces) string {
	nodes := map[spanKey]*node{}
	var all []*node
	for _, td := range exports {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					n := &node{span: span, resource: rs.Resource().Attributes()}
					nodes[spanKey{span.TraceID(), span.SpanID()}] = n
					all = append(all, n)
				}
			}
		}
	}
	traces := map[pcommon.TraceID][]*node{}
	var order []pcommon.TraceID
	byStart(all)
	for _, n := range all {
		id := n.span.TraceID()
		if _, seen := traces[id]; !seen {
			order = append(order, id)
			traces[id] = nil
		}
		if parent := nodes[spanKey{id, n.span.ParentSpanID()}]; parent != nil {
			parent.children = append(parent.children, n)
		} else {
			traces[id] = append(traces[id], n)
		}
	}
	var b strings.Builder
	for _, id := range order {
		roots := traces[id]
		first := start(roots[0])
		for _, n := range roots {
			first = minTime(first, start(n))
		}
		fmt.Fprintf(&b, "trace %s from %s\n", id, first.UTC().Format("2006-01-02T15:04:05.000Z"))
		for _, n := range roots {
			if !n.span.ParentSpanID().IsEmpty() {
				fmt.Fprintf(&b, "parent %s is not here\n", n.span.ParentSpanID())
			}
			n.draw(&b, first, "", "")
		}
	}
	return b.String()
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func start(n *node) time.Time { return n.span.StartTimestamp().AsTime() }

func byStart(nodes []*node) {
	slices.SortStableFunc(nodes, func(a, b *node) int {
		return cmp.Or(
			cmp.Compare(a.span.StartTimestamp(), b.span.StartTimestamp()),
			-cmp.Compare(a.span.EndTimestamp(), b.span.EndTimestamp()),
			strings.Compare(a.span.Name(), b.span.Name()),
			strings.Compare(a.span.SpanID().String(), b.span.SpanID().String()))
	})
}

func (n *node) draw(b *strings.Builder, zero time.Time, prefix, below string) {
	s := n.span
	begin := s.StartTimestamp().AsTime().Sub(zero).Seconds()
	length := s.EndTimestamp().AsTime().Sub(s.StartTimestamp().AsTime()).Seconds()
	fmt.Fprintf(b, "%s%s [%s] +%.3fs %.3fs%s\n", prefix, s.Name(), s.SpanID(), begin, length, status(s))
	bar := "   "
	if len(n.children) > 0 {
		bar = "│  "
	}
	for _, line := range attributes(n) {
		fmt.Fprintf(b, "%s%s %s\n", below, bar, line)
	}
	byStart(n.children)
	for i, child := range n.children {
		if i == len(n.children)-1 {
			child.draw(b, zero, below+"└─ ", below+"   ")
		} else {
			child.draw(b, zero, below+"├─ ", below+"│  ")
		}
	}
}

func status(s ptrace.Span) string {
	if s.Status().Code() == ptrace.StatusCodeUnset {
		return ""
	}
	text := " " + s.Status().Code().String()
	if s.Status().Message() != "" {
		text += fmt.Sprintf(" %q", s.Status().Message())
	}
	return text
}

// attributes returns a sorted line for each attribute; the resource of a root comes first.
func attributes(n *node) []string {
	lines := []string{"kind " + n.span.Kind().String()}
	list := func(mark string, m pcommon.Map) {
		from := len(lines)
		for k, v := range m.All() {
			lines = append(lines, fmt.Sprintf("%s%s = %q", mark, k, v.AsString()))
		}
		slices.Sort(lines[from:])
	}
	if n.span.ParentSpanID().IsEmpty() {
		list("resource ", n.resource)
	}
	list("", n.span.Attributes())
	return lines
}
