package main

import "runtime/debug"

// version is that of the module, as the go command built it; "(devel)" for a build from a working folder.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
