// Package style defines what events look like in a readable log: a table of kind by style (looks.go) and one of tools (tools.go).
//
//	Mode    how much is shown: default, verbose, quiet, json
//	Style   the format of the lines in verbose mode: marker, transcript, progress, activity
//	Look    one event in one style: it writes lines and blocks through a Pen, and knows nothing of streams
//	Row     the looks of one kind, and which unfinished text the kind ends
//
// A new style is a column of the table and a file of looks; a new kind is a row; a new tool is a line. A Pen must be used
// by one goroutine at a time; everything else is constant.
package style
