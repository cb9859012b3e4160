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

// maxAnswer is in bytes.
const maxAnswer = 64 << 20

// Scrape asks the program at url for its metrics and adds up the counters of these names.
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

// Sum adds up a counter over all its labels in Prometheus' text format 0.0.4: lines of name, labels in braces or
// none, a blank, the value. A counter that is not there is 0.
func Sum(r io.Reader, name string) (float64, error) {
	sum := 0.0
	in := bufio.NewScanner(r)
	for in.Scan() {
		line := in.Text()
		end := strings.IndexAny(line, "{ ")
		if end < 0 || strings.TrimSuffix(line[:end], "_total") != name {
			continue
		}
		// A label's value may hold a blank or a brace, the number after it can not.
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("parse metric %q: %w", line, err)
		}
		sum += value
	}
	return sum, in.Err()
}

// Get gives the body of an answer that is 200.
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

// Limit bounds what is read of an answer, in bytes. What the programs here answer is far below it.
func Limit(r io.Reader) io.Reader { return io.LimitReader(r, maxAnswer) }
