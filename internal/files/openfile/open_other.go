//go:build !unix

package openfile

import "os"

const openFlags = os.O_RDONLY

// KeepOpen is false, because on Windows an agent can't rename or delete a file that another process holds open.
const KeepOpen = false
