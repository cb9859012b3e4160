// Package page writes runs as one page of HTML that needs nothing else: no script, no picture, no font, no network.
//
// Its Content-Security-Policy allows the one style sheet in it, by hash, and nothing more. Every text is escaped by html/template.
// Links lead to places of the page itself. Without scripts, what is long is folded by details elements.
package page
