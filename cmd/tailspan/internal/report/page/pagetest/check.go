// Package pagetest checks what holds of every page.
package pagetest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var (
	tags       = regexp.MustCompile(`<(/?)([A-Za-z!][^\s>/]*)([^>]*)>`)
	attributes = regexp.MustCompile(`^(?:\s+([a-z][a-z0-9-]*)(?:="([^"<>]*)")?)*\s*/?$`)
	attribute  = regexp.MustCompile(`([a-z][a-z0-9-]*)="([^"]*)"`)
)

// allowed are the elements of a page, and the attributes of all of them.
var (
	allowed = words(`!DOCTYPE html head meta title style body header main footer article section nav h1 h2 h3 p a b i small strong span
		div ol li dl dt dd pre code details summary table thead tbody tr th td svg text line rect`)
	allowedAttributes = words(`lang charset http-equiv content name class id href scope title dir open role tabindex aria-label aria-hidden
		x y x1 x2 y1 y2 width height rx`)
	place = regexp.MustCompile(`^#[a-z0-9-]+$`)
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// Check fails the test if a page can do anything but be read: if it has other elements or attributes than those of the template,
// links to anything but its own places, places that are not there or are there twice, headings out of order, or characters that
// are not seen.
func Check(t *testing.T, page string) {
	t.Helper()
	ids, links, level := map[string]int{}, []string{}, 0
	body := page[:strings.Index(page, "<style>")] + page[strings.Index(page, "</style>"):]
	for _, tag := range tags.FindAllStringSubmatch(body, -1) {
		closing, name, rest := tag[1] != "", tag[2], tag[3]
		assert.True(t, allowed[name], "element %q", tag[0])
		if name == "!DOCTYPE" || closing {
			continue
		}
		assert.Regexp(t, attributes, rest, "attributes of %q", tag[0])
		for _, a := range attribute.FindAllStringSubmatch(rest, -1) {
			assert.True(t, allowedAttributes[a[1]], "attribute %q of %q", a[1], tag[0])
			switch a[1] {
			case "id":
				ids["#"+a[2]]++
			case "href":
				assert.Regexp(t, place, a[2])
				links = append(links, a[2])
			}
		}
		if len(name) == 2 && name[0] == 'h' && name[1] <= '6' {
			now := int(name[1] - '0')
			assert.LessOrEqual(t, now, level+1, "heading %q", tag[0])
			level = now
		}
	}
	for _, link := range links {
		assert.Contains(t, ids, link, "a link leads to a place")
	}
	for id, n := range ids {
		assert.Equal(t, 1, n, "place %s", id)
	}
	const control, invisible = `\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}`, `\x{200b}\x{200e}\x{200f}\x{2060}-\x{2069}\x{feff}\x{e0000}-\x{e007f}`
	const direction = `\x{202a}-\x{202e}`
	assert.NotRegexp(t, "["+control+invisible+direction+"]", page)
}
