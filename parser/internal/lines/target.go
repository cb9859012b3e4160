package lines

import "github.com/tailspan/tailspan/parser/internal/scan"

// FirstText returns the text of the first of several keys that has one.
func FirstText(a *scan.Strings, m scan.Members, keys ...string) string {
	for _, key := range keys {
		if v := m.Get(key); len(v.Body()) > 0 {
			return a.Text(v)
		}
	}
	return ""
}

// InProgress returns the text under key of the to-do item that is in progress. It reads the list with s, and the
// members of each item into nested, whose memory it reuses.
func InProgress(a *scan.Strings, s *scan.Scanner, nested *scan.Members, todos scan.Value, key string) string {
	for item := range scan.Objects(s, todos, nested) {
		if item.Get("status").Is("in_progress") {
			return a.Text(item.Get(key))
		}
	}
	return ""
}
