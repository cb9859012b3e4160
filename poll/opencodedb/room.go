package opencodedb

import "errors"

// The writer of a database can make few bytes represent many rows, with pages that point at one page repeatedly, or with a
// default value that each row has in a column added later. The rows listed at once are therefore bounded by what the files can
// hold, and a [Follower] gives up what takes longer than [Settings.MaxTime].

// errTooMuch means that the rows of a list are larger than the files of the database.
var errTooMuch = errors.New("rows are larger than the files of the database")

const (
	// rowBytes is the minimum size of a row of our tables in a file.
	rowBytes = 8
	// roomFactor allows for text that is longer in UTF-8 than in the file, and for numbers that are read as text.
	roomFactor = 2
	// leastRoom is the room of the smallest database.
	leastRoom = 1 << 20
)

// room is how many bytes the rows of a list may take.
type room int64

func newRoom(of stamp) room { return room(leastRoom + roomFactor*(of.file.size+of.wal.size)) }

// take takes the room of a row; values is the size of its values in bytes.
func (r *room) take(values int64) error {
	if *r -= room(rowBytes + values); *r < 0 {
		return errTooMuch
	}
	return nil
}
