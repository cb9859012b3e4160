package program

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 64 << 20

// Scrape reads the program's metrics at url and adds up the counters with these names.
func Scrape(ctx context.Context, url string, names ...string) (float64, error) {
	body, err := Get(ctx, url)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	all, err := io.ReadAll(Limit(body))
	if err != nil {
		return 0, fmt.Errorf("read metrics: %w", err)
	}
	sum := 0.0
	for _, name := range names {
		n, err := Sum(bytes.NewReader(all), name)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// Sum adds up a counter over all its labels in Prometheus' text format 0.0.4: lines of name, optional labels in
// braces, a blank and the value. A missing counter is 0.
func Sum(r io.Reader, name string) (float64, error) {
	sum := 0.0
	in := bufio.NewScanner(r)
	for in.Scan() {
		line := in.Text()
		end := strings.IndexAny(line, "{ ")
		if end < 0 || strings.TrimSuffix(line[:end], "_total") != name {
			continue
		}
		// A label's value may contain a blank or a brace, but the number after it cannot.
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("parse metric %q: %w", line, err)
		}
		sum += value
	}
	return sum, in.Err()
}

// Get returns the body of an answer with status 200.
func Get(ctx context.Context, url string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("get %s: %s", url, answer.Status)
	}
	return answer.Body, nil
}

// Limit limits what is read of an answer. The answers of these programs are far smaller.
func Limit(r io.Reader) io.Reader { return io.LimitReader(r, maxAnswer) }
