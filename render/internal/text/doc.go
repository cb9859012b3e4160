// Package text makes and measures the parts of a line: safe, short, in cells of a terminal, with a graphic rendition.
//
// Everything that it returns has passed package safe and is one line. It knows nothing of styles. It holds no state.
package text
