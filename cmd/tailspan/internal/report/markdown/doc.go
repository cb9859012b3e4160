// Package markdown writes runs as Markdown, for a comment on a pull request.
//
// Everything an agent wrote is in code: a span of one line, or a block whose fence is longer than any in it. It therefore cannot
// make links, pictures, mentions or HTML. The document has at most [DefaultBytes] bytes, below the limit of code hosts for
// comments; it says what it leaves out.
package markdown
