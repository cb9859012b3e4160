// Package secret decides what is a secret: the value of a secret-like name, the credentials of a header, or the password of a
// URL, after a flag of a command, in an SQL statement or in a line of pgpass.
//
// [Rules] has one method for each kind of anchor. It takes the offset of the anchor and returns the span of the secret, if there
// is one. [Member] checks a member of a JSON object. A rule accepts a value by the class of its name, the separator between the
// two and the characters of the value. It rejects placeholders, references, code, paths and names. In a text that was cut, a
// value that reaches the end needs less evidence.
package secret
