package watch_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // the times of day in golden files
	goleak.VerifyTestMain(m)
}
