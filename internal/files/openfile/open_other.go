//go:build !unix

package openfile

import "os"

const openFlags = os.O_RDONLY

// KeepOpen: on Windows a file that we hold open can't be renamed or deleted by the agent that writes it.
const KeepOpen = false
