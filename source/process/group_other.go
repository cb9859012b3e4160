//go:build unix && !linux

package process

// groupLives: these systems leave zombies out when they look whether a group is there.
func groupLives(int) bool { return true }
