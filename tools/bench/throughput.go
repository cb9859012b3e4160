package main

import (
	"context"
	"fmt"
	"slices"
)

// measureThroughput makes both sides read the same files in turn.
func measureThroughput(ctx context.Context, s Settings) error {
	for _, prepare := range []func(context.Context, Settings) (*dataset, error){transcripts, recordings} {
		d, err := prepare(ctx, s)
		if err != nil {
			return err
		}
		if err := compareReading(ctx, s, d); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return nil
}

func compareReading(ctx context.Context, s Settings, d *dataset) error {
	ours, peer := s.sides()
	fmt.Fprintf(s.Stdout, "\nthroughput, %s: %d files, %d lines, %.0f MB\n", d.Name, d.Files, d.Lines, float64(d.Bytes)/megabyte)
	var ratios, memory []float64
	for pair := range s.Pairs + 1 {
		a, err := read(ctx, s, ours, d)
		if err != nil {
			return err
		}
		b, err := read(ctx, s, peer, d)
		if err != nil {
			return err
		}
		if pair == 0 {
			continue // it fills the page cache
		}
		ratios = append(ratios, b.CPU.Seconds()/a.CPU.Seconds())
		memory = append(memory, float64(a.PeakRSS)/float64(b.PeakRSS))
		fmt.Fprintf(s.Stdout, "  %d: %s | %s | ratio %.2f\n", pair, describe(ours, a, d), describe(peer, b, d), ratios[len(ratios)-1])
	}
	fmt.Fprintf(s.Stdout, "  bytes per CPU second, ratio: %v; peak memory, ratio: %v\n", spreadOf(ratios), spreadOf(memory))
	return nil
}

func describe(x side, r reading, d *dataset) string {
	return fmt.Sprintf("%s %.0f MB per CPU second, peak %d MiB, %.1f s, %.0f items",
		x.name, float64(d.Bytes)/megabyte/r.CPU.Seconds(), r.PeakRSS>>20, r.wall.Seconds(), r.items)
}

// spread describes a few figures.
type spread struct{ min, median, max float64 }

// spreadOf returns the spread of at least one figure.
func spreadOf(figures []float64) spread {
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	return spread{sorted[0], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("min %.2f, median %.2f, max %.2f", s.min, s.median, s.max)
}
