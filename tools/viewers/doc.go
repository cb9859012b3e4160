// Package viewers tests how other projects' viewers interpret our spans. The tests need more than Go, so they are skipped
// unless an environment variable names what they need; make targets set these variables, CI does not.
//
//	make openinference   the GenAI mapper with which Arize Phoenix reads spans, from npm; needs node and npm
package viewers
