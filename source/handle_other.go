//go:build !unix

package source

import "os"

const openFlags = os.O_RDONLY

// keepOpen: on Windows a file that we hold open can't be renamed or deleted by the agent that writes it.
const keepOpen = false
