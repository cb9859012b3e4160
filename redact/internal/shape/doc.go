// Package shape finds secrets that are recognizable by their own form: the keys and tokens of shapes.txt, JSON web tokens,
// private key blocks, and the secret that belongs to an AWS key ID.
//
// shapes.txt is the only table of facts about what vendors issue, each with its source and date. A [Shape] is a row: literal
// text and parts with a class and a length. A caller finds the anchor of a shape, its longest literal, and passes its offset
// to [At]; [MayBe] excludes most offsets at the cost of two bytes. Each function reads a bounded part of the text around the
// offset, or a sequence whose end is cached. The table is read once and never changes.
package shape
