package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
)

//go:embed page.css
var style string

//go:embed page.tmpl
var source string

// page is the template. To read it takes milliseconds, which other commands do not need.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(functions).Parse(source))
})

// Settings are of a page.
type Settings struct {
	// Version is that of the program that makes it.
	Version string
	// Made is when it is made.
	Made time.Time
}

// view is what the template shows.
type view struct {
	Title  string
	Single *report.Run // of a page of one run
	Runs   []*report.Run
	Style  template.CSS
	Policy string
	Settings
}

// Write writes the page of runs.
func Write(w io.Writer, runs []*report.Run, s Settings) error {
	v := view{Title: "Agent runs", Runs: runs, Style: template.CSS(style), Policy: policy(), Settings: s}
	if len(runs) == 1 {
		v.Single, v.Title = runs[0], runs[0].Title()
	}
	return page().Execute(w, v)
}

// policy allows the style sheet and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}
