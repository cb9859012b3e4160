package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// compressions are the relevant ones of OTLP over HTTP: none shows the size, gzip is the exporter's default, and the provided
// configurations use zstd.
var compressions = []string{"none", "gzip", "zstd"}

// drain is a back end that accepts everything and counts its bytes.
type drain struct{ bytes, requests atomic.Int64 }

func (d *drain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return // the sender has closed the connection
	}
	d.bytes.Add(n)
	d.requests.Add(1)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// measureExport makes both sides read the same transcripts and recordings in turn and send the result by OTLP over HTTP. It
// measures CPU time and the bytes sent.
func measureExport(ctx context.Context, s Settings) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	sink := &drain{}
	server := &http.Server{Handler: sink, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		_ = server.Close() // nobody sends any more
		<-served
	}()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	for _, prepare := range []func(context.Context, Settings) (*dataset, error){transcripts, recordings} {
		d, err := prepare(ctx, s)
		if err != nil {
			return err
		}
		for _, compression := range compressions {
			env := []string{"BENCH_EXPORTER=otlp_http", "BENCH_SINK_PORT=" + port, "BENCH_COMPRESSION=" + compression}
			if err := compareExport(ctx, s, d, sink, env, compression); err != nil {
				return fmt.Errorf("%s, %s: %w", d.Name, compression, err)
			}
		}
	}
	return nil
}

func compareExport(ctx context.Context, s Settings, d *dataset, sink *drain, environment []string, compression string) error {
	ours, peer := s.sides()
	size := float64(d.Bytes) / megabyte
	fmt.Fprintf(s.Stdout, "\nexport, %s, compression %s: %d files, %d lines, %.0f MB\n", d.Name, compression, d.Files, d.Lines, size)
	var ratios []float64
	for pair := range s.Pairs + 1 {
		a, sentA, requestsA, err := readAndSend(ctx, s, ours, d, sink, environment)
		if err != nil {
			return err
		}
		b, sentB, requestsB, err := readAndSend(ctx, s, peer, d, sink, environment)
		if err != nil {
			return err
		}
		if pair == 0 {
			continue // it fills the page cache
		}
		ratios = append(ratios, b.CPU.Seconds()/a.CPU.Seconds())
		fmt.Fprintf(s.Stdout, "  %d: %s, %.1f MB in %d requests | %s, %.1f MB in %d requests | ratio %.2f\n", pair,
			describe(ours, a, d), sentA, requestsA, describe(peer, b, d), sentB, requestsB, ratios[len(ratios)-1])
	}
	fmt.Fprintf(s.Stdout, "  bytes per CPU second, ratio: %v\n", spreadOf(ratios))
	return nil
}

// readAndSend reads the data set and returns how many megabytes arrived, and in how many requests.
func readAndSend(ctx context.Context, s Settings, x side, d *dataset, sink *drain, environment []string) (reading, float64, int64, error) {
	bytes, requests := sink.bytes.Load(), sink.requests.Load()
	r, err := read(ctx, s, x, d, environment...)
	return r, float64(sink.bytes.Load()-bytes) / megabyte, sink.requests.Load() - requests, err
}
