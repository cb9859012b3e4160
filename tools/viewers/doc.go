// Package viewers has tests of what viewers of others make of our spans. They need more than Go, so they skip unless a variable
// of the environment names what they need; make targets set them, CI does not.
//
//	make openinference   the GenAI mapper that Arize Phoenix reads spans with, from npm; needs node and npm
package viewers
