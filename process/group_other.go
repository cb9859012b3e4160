//go:build unix && !linux

package process

// groupLives: these systems ignore zombies when they check whether a group exists.
func groupLives(int) bool { return true }
