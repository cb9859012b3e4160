package lines

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// patchMarks begin the lines of an apply_patch patch that name a file.
var patchMarks = [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: "}

// patchHead is the number of bytes of a patch that usually contain its first file.
const patchHead = 256

// PatchFile returns the first file that a patch names, in the memory of a. It decodes the text into scratch, and
// decodes all of it only if the beginning names no file.
func PatchFile(a *scan.Strings, scratch *[]byte, patch scan.Value) string {
	var rest []byte
	*scratch, rest = scan.AppendHead((*scratch)[:0], patch.Body(), patchHead)
	head := *scratch
	if len(rest) > 0 {
		head = head[:bytes.LastIndexByte(head, '\n')+1] // the last line may be incomplete
	}
	file := patchFile(head)
	if file == nil && len(rest) > 0 {
		*scratch = scan.AppendString((*scratch)[:0], patch.Body())
		file = patchFile(*scratch)
	}
	return a.Copy(file)
}

func patchFile(patch []byte) []byte {
	for len(patch) > 0 {
		var line []byte
		line, patch, _ = bytes.Cut(patch, []byte("\n"))
		for _, mark := range patchMarks {
			if file, ok := bytes.CutPrefix(line, []byte(mark)); ok {
				return bytes.TrimSpace(file)
			}
		}
	}
	return nil
}
