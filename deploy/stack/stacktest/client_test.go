package stacktest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// sample is a row of a result: labels and a number.
type sample struct {
	labels map[string]string
	value  float64
}

// client queries the servers.
type client struct{ metrics, prometheus, logs, traces string } // addresses

func ask(ctx context.Context, address string, form url.Values) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return answer(request)
}

func answer(request *http.Request) ([]byte, error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(body)))
	}
	return body, nil
}

// instant executes a PromQL query for the current time on the server with this address.
func instant(ctx context.Context, server, query string) ([]sample, error) {
	return promQL(ctx, server+"/api/v1/query", url.Values{"query": {query}})
}

// overTime executes a query every 15 s over the last quarter of an hour, and returns the last value of each series.
func overTime(ctx context.Context, server, query string) ([]sample, error) {
	now := time.Now()
	return promQL(ctx, server+"/api/v1/query_range", url.Values{
		"query": {query}, "step": {"15"}, "start": {strconv.FormatInt(now.Add(-15*time.Minute).Unix(), 10)}, "end": {strconv.FormatInt(now.Unix(), 10)},
	})
}

func promQL(ctx context.Context, address string, form url.Values) ([]sample, error) {
	form.Set("nocache", "1")
	body, err := ask(ctx, address, form)
	if err != nil {
		return nil, err
	}
	var got struct {
		Data struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				Value  []any             `json:"value"`
				Values [][]any           `json:"values"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, err
	}
	var all []sample
	for _, r := range got.Data.Result {
		value := r.Value
		if len(r.Values) > 0 {
			value = r.Values[len(r.Values)-1]
		}
		number, err := strconv.ParseFloat(value[1].(string), 64)
		if err != nil {
			return nil, err
		}
		all = append(all, sample{r.Metric, number})
	}
	return all, nil
}

// rows executes a LogsQL query over the last hour.
func (c client) rows(ctx context.Context, query string) ([]map[string]string, error) {
	body, err := ask(ctx, c.logs+"/select/logsql/query", url.Values{"query": {query}, "start": {"1h"}})
	if err != nil {
		return nil, err
	}
	var all []map[string]string
	lines := bufio.NewScanner(strings.NewReader(string(body)))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		row := map[string]string{}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, lines.Err()
}

// span is a span in Jaeger's API.
type span struct {
	ID         string
	Operation  string
	Parents    []string
	Tags       map[string]any
	StartMicro int64
}

// find returns the spans of all traces that have a span with these tags. Jaeger searches in one service at a time.
func (c client) find(ctx context.Context, tags map[string]string) ([]span, error) {
	text, err := json.Marshal(tags)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.traces+"/api/services", nil)
	if err != nil {
		return nil, err
	}
	body, err := answer(request)
	if err != nil {
		return nil, err
	}
	var services struct {
		Data []string `json:"data"`
	}
	if err := json.Unmarshal(body, &services); err != nil {
		return nil, err
	}
	var all []span
	for _, service := range services.Data {
		some, err := c.spans(ctx, "/api/traces?"+url.Values{"service": {service}, "tags": {string(text)}, "limit": {"100"}, "lookback": {"1h"}}.Encode())
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (c client) trace(ctx context.Context, id string) ([]span, error) {
	return c.spans(ctx, "/api/traces/"+id)
}

func (c client) spans(ctx context.Context, path string) ([]span, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.traces+path, nil)
	if err != nil {
		return nil, err
	}
	body, err := answer(request)
	if err != nil {
		return nil, err
	}
	var got struct {
		Data []struct {
			Spans []struct {
				SpanID        string `json:"spanID"`
				OperationName string `json:"operationName"`
				StartTime     int64  `json:"startTime"`
				References    []struct {
					SpanID string `json:"spanID"`
				} `json:"references"`
				Tags []struct {
					Key   string `json:"key"`
					Value any    `json:"value"`
				} `json:"tags"`
			} `json:"spans"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, err
	}
	var all []span
	for _, t := range got.Data {
		for _, s := range t.Spans {
			one := span{ID: s.SpanID, Operation: s.OperationName, Tags: map[string]any{}, StartMicro: s.StartTime}
			for _, r := range s.References {
				one.Parents = append(one.Parents, r.SpanID)
			}
			for _, tag := range s.Tags {
				one.Tags[tag.Key] = tag.Value
			}
			all = append(all, one)
		}
	}
	return all, nil
}
