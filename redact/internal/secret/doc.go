// Package secret decides what is a secret: the value of a secret-like name, the credentials of a header, the password of a URL,
// behind a flag of a command, in a statement of SQL, in a line of pgpass.
//
// [Rules] has one method for each kind of anchor; it is called with the place of the anchor and returns the span of the
// secret, if there is one. [Member] decides on a member of a JSON object. A rule accepts a value by the class of its name, by
// how the two are separated, and by what the value is made of; it refuses placeholders, references, code, paths and names.
// Where a text was cut, what reaches its end needs less evidence.
package secret
