// Command probe is the health check of the collector's image, which has no shell: it exits with 0 if a URL responds with a status
// below 400.
//
//	probe http://127.0.0.1:13133/
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: probe URL")
		os.Exit(2)
	}
	client := http.Client{Timeout: 3 * time.Second}
	answer, err := client.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
	_ = answer.Body.Close() // the body is not needed
	if answer.StatusCode >= http.StatusBadRequest {
		fmt.Fprintf(os.Stderr, "probe: %s answers %s\n", os.Args[1], answer.Status)
		os.Exit(1)
	}
}
