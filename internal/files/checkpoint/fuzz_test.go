package checkpoint

import (
	"errors"
	"reflect"
	"testing"
)

// FuzzCheckpoint: a value that we did not write is one of three errors; a value that is decoded encodes to itself.
func FuzzCheckpoint(f *testing.F) {
	c := Checkpoint{Stream: "s", Path: "/a", Inode: 7, File: File{Size: 100, Offset: 90, HeadLen: 90, TailLen: 90}, State: []byte("x")}
	value, err := c.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value)
	f.Add(value[:20])
	f.Add([]byte("tailspan-checkpoint 3 00000000\n{}"))
	f.Fuzz(func(t *testing.T, value []byte) {
		c, err := Decode(FilePrefix+"s", value)
		if err != nil {
			if !errors.Is(err, ErrBroken) && !errors.Is(err, ErrNewer) && !errors.Is(err, ErrOlder) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		again, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Decode(FilePrefix+"s", again); err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("%q gives %+v, then %+v (%v)", value, c, back, err)
		}
	})
}
