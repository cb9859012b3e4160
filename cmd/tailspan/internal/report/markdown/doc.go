// Package markdown writes runs as Markdown, for a comment on a pull request.
//
// What an agent wrote stands in code: a span of one line, or a block whose fence is longer than any in it. So it makes no link, no
// picture, no mention and no HTML. The whole has at most [DefaultBytes] bytes, below what comments of code hosts may have; what
// has no room is left out, and said to be.
package markdown
