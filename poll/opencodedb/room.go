package opencodedb

import "errors"

// The writer of a database can make few bytes represent many rows: pages that point at one page again and again, or a default
// value that a column added later has in each row. So what is listed at once is bounded by what the files can hold, and a
// [Follower] gives up what takes longer than [Settings.MaxTime].

// errTooMuch: the rows of a list are larger than the files of the database.
var errTooMuch = errors.New("rows are larger than the files of the database")

const (
	// rowBytes is the least that a row of our tables takes in a file.
	rowBytes = 8
	// roomFactor is for text that takes more bytes as UTF-8 than in the file, and for numbers that are asked for as text.
	roomFactor = 2
	// leastRoom is that of the smallest database.
	leastRoom = 1 << 20
)

// room is how many bytes the rows of a list may take.
type room int64

func newRoom(of stamp) room { return room(leastRoom + roomFactor*(of.file.size+of.wal.size)) }

// take takes the room of a row; of its values, the number of bytes.
func (r *room) take(values int64) error {
	if *r -= room(rowBytes + values); *r < 0 {
		return errTooMuch
	}
	return nil
}
