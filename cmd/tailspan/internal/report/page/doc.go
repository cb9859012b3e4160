// Package page writes runs as one self-contained HTML page: no scripts, pictures, fonts or network access.
//
// Its Content-Security-Policy allows only its one style sheet, by hash. html/template escapes every text. Links point to places
// in the page. Details elements collapse long content without scripts.
package page
