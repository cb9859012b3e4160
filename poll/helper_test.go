package poll_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// comes waits for a value.
func comes(values <-chan int, want int) bool {
	late := time.After(filestest.Patience)
	for {
		select {
		case got := <-values:
			if got == want {
				return true
			}
		case <-late:
			return false
		}
	}
}
