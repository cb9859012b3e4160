// Package token is the tokenizer: it reads an identifier, the separator after it, and the value, in source code, shells,
// configuration files, JSON in strings, YAML, XML, SQL and prose.
//
//	identifier   [Reader.NameAround] and its [Class], determined by the last segments of the [Name]
//	separator    a [Sep]: =, :, a blank after a flag, a tag, the next element of a list, ...
//	value        [Reader.ValueAfter] returns a [Value]: where it is, and how it is quoted
//
// Package secret decides whether a value is a secret. A Reader reads one text in one goroutine, forwards and backwards,
// within limits: [MaxIdent] bytes of a name, [MaxQuoted] bytes of a quoted value.
package token
