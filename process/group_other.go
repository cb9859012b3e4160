//go:build unix && !linux

package process

// groupLives returns true, because these systems ignore zombies when they check whether a group exists.
func groupLives(int) bool { return true }
