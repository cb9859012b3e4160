// Package token is the tokenizer: it reads an identifier, the separator behind it, and the value, in source code, shells,
// configuration files, JSON in strings, YAML, XML, SQL and prose.
//
//	identifier   [Reader.NameAround] and its [Class], by the last segments of the [Name]
//	separator    a [Sep]: =, :, a blank behind a flag, a tag, the next element of a list, ...
//	value        [Reader.ValueAfter] gives a [Value]: where it is, and how it is quoted
//
// It does not decide whether a value is a secret; package secret does. A Reader serves one text from one goroutine. It reads
// forwards and backwards by bounded steps: names of [MaxIdent] bytes, quoted values of [MaxQuoted].
package token
