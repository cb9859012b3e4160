package agentstreamreceiver_test

import (
	"path/filepath"
	"time"
)

// fileTime and nowForGolden stand for times that the sessions do not contain.
var fileTime = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)

func nowForGolden() time.Time { return fileTime.Add(24 * time.Hour) }

// sessionName names a fixture by provider and file.
func sessionName(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}
