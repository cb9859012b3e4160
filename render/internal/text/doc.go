// Package text creates and measures the parts of a line: safe, short, in terminal cells, with a graphic rendition.
//
// All its results have passed package safe and are one line. It knows nothing about styles and holds no state.
package text
