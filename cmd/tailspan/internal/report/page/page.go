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

// page parses the template on first use: parsing takes milliseconds, which other commands do not need to spend.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(functions).Parse(source))
})

// Settings configure a page.
type Settings struct {
	// Version is the version of the program that makes the page.
	Version string
	// Made is the time at which the page is made.
	Made time.Time
}

// view is the data of the template.
type view struct {
	Title  string
	Single *report.Run // set for a page of one run
	Runs   []*report.Run
	Style  template.CSS
	Policy string
	Settings
}

// Write writes runs as one page.
func Write(w io.Writer, runs []*report.Run, s Settings) error {
	v := view{Title: "Agent runs", Runs: runs, Style: template.CSS(style), Policy: policy(), Settings: s}
	if len(runs) == 1 {
		v.Single, v.Title = runs[0], runs[0].Title()
	}
	return page().Execute(w, v)
}

// policy returns a Content-Security-Policy that allows only the style sheet.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}
