package agentstreamreceiver

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fileTime and nowForGolden stand for the times that are not told by the sessions.
var fileTime = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)

func nowForGolden() time.Time { return fileTime.Add(24 * time.Hour) }
