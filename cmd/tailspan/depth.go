package main

// maxDepth is how many levels of objects and arrays a request of OTLP JSON may have. What reads it calls itself for each level,
// and a program whose stack is full ends.
const maxDepth = 10_000

// depthOf is how many levels of objects and arrays a JSON document has.
func depthOf(document []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
