package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// version is the version of the format. A value is
//
//	"tailspan-checkpoint " version " " checksum "\n" JSON
//
// where checksum is the CRC-32 (IEEE) of the JSON in hexadecimal. Fields may be added within a version.
const version = 2

const magic = "tailspan-checkpoint "

var (
	// ErrNewer means that a newer version of the program wrote the value.
	ErrNewer = errors.New("written by a newer version")
	// ErrOlder means that an older version of the program wrote the value, in a format that is no longer read.
	ErrOlder = errors.New("written by an older version")
	// ErrBroken means that the value differs from what was written.
	ErrBroken = errors.New("broken")
)

// IsUnusable reports whether the error is in a value and not in the store. Reading the value again yields the same error.
func IsUnusable(err error) bool {
	return errors.Is(err, ErrNewer) || errors.Is(err, ErrOlder) || errors.Is(err, ErrBroken)
}

// Seal prefixes a value with version and checksum.
func Seal(body []byte) []byte {
	head := fmt.Sprintf("%s%d %08x\n", magic, version, crc32.ChecksumIEEE(body))
	return append([]byte(head), body...)
}

// Unseal returns the value passed to Seal, which shares the memory of value.
func Unseal(value []byte) ([]byte, error) {
	line, body, found := bytes.Cut(value, []byte{'\n'})
	rest, ours := strings.CutPrefix(string(line), magic)
	number, sum, two := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	switch {
	case !ours || err != nil:
		return nil, fmt.Errorf("decode checkpoint: %w: no version", ErrBroken)
	case n > version:
		return nil, fmt.Errorf("decode checkpoint: %w: format %d, known up to %d", ErrNewer, n, version)
	case n < version:
		return nil, fmt.Errorf("decode checkpoint: %w: format %d, known from %d", ErrOlder, n, version)
	case !found || !two:
		return nil, fmt.Errorf("decode checkpoint: %w: no checksum", ErrBroken)
	}
	if want, err := strconv.ParseUint(sum, 16, 32); err != nil || uint32(want) != crc32.ChecksumIEEE(body) {
		return nil, fmt.Errorf("decode checkpoint: %w: checksum mismatch", ErrBroken)
	}
	return body, nil
}
