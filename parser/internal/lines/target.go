package lines

import "github.com/tailspan/tailspan/parser/internal/scan"

// FirstText is the text of the first of several keys that has one.
func FirstText(a *scan.Strings, m scan.Members, keys ...string) string {
	for _, key := range keys {
		if v := m.Get(key); len(v.Body()) > 0 {
			return a.Text(v)
		}
	}
	return ""
}

// InProgress is the text under a key of the item of a to-do list that is being worked on. The list is read with s,
// and its things into nested, whose memory is used again.
func InProgress(a *scan.Strings, s *scan.Scanner, nested *scan.Members, todos scan.Value, key string) string {
	for item := range scan.Objects(s, todos, nested) {
		if item.Get("status").Is("in_progress") {
			return a.Text(item.Get(key))
		}
	}
	return ""
}
