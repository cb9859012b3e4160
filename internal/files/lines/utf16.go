package lines

import (
	"bytes"
	"errors"
)

// ErrUTF16 reports an input in UTF-16, which is not read: > of Windows PowerShell 5.1 writes it, and has then already replaced
// characters that are not ASCII (about_Redirection, about_Character_Encoding, learn.microsoft.com, 2026-11). PowerShell 7.4 writes
// the bytes of a program as they are.
var ErrUTF16 = errors.New("it is UTF-16, as > of Windows PowerShell writes it; " + AdviceUTF16)

// AdviceUTF16 is how to write such an input so that it is read.
const AdviceUTF16 = `redirect with cmd /c "... > FILE" or PowerShell 7.4, or convert it to UTF-8: Get-Content FILE | Set-Content -Encoding utf8 NEW`

// IsUTF16 reports whether an input that begins with head is in UTF-16 with a byte order mark.
func IsUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}
