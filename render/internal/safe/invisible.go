package safe

import "unicode"

// Characters that display nothing by themselves are removed (events.IsInvisible). Joiners and the two emoji selectors are
// kept only where they have an effect (joinerFits, selectorFits).

const (
	zwnj          = '\u200c'
	zwj           = '\u200d'
	textSelector  = '\ufe0e' // shows the emoji before it as text
	emojiSelector = '\ufe0f' // shows the character before it as an emoji
)

// isPlain is a cheap check for characters that are kept everywhere: most of Latin, Greek, Cyrillic, Han and emoji. Other
// characters may be kept too.
func isPlain(r rune) bool {
	return r > 0xad && r < 0x34f || r >= 0x370 && r < 0x61c || r >= 0x2070 && r < 0x3164 || r > 0x3164 && r < 0xfe00 || r >= 0x1f000 && r < 0xe0000
}

// selectorFits reports whether an emoji selector has an effect on the character before it.
func selectorFits(before rune) bool {
	switch {
	case before == '#' || before == '*' || before >= '0' && before <= '9' || before == '©' || before == '®':
		return true
	case before == 0x203c || before == 0x2049 || before == 0x3030 || before == 0x303d || before == 0x3297 || before == 0x3299:
		return true
	}
	return before >= 0x2100 && before < 0x2190 || isPictograph(before)
}

// isPictograph reports whether a character is an emoji or a symbol that can be one (Extended_Pictographic of Unicode 17,
// widened to whole blocks).
func isPictograph(r rune) bool { return r >= 0x2190 && r <= 0x2bff || r >= 0x1f000 && r <= 0x1faff }

// joinerFits reports whether a joiner has an effect between two characters. Zero width joiners combine several emoji into
// one, and both joiners choose the form of letters in scripts that join them (Persian, the scripts of India).
func joinerFits(before, joiner, after rune) bool {
	if joiner == zwj && isPictograph(after) && (isPictograph(before) || before == emojiSelector) {
		return true
	}
	return joinsLetters(before) && joinsLetters(after)
}

// joining are the scripts whose letters change their form next to a joiner.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Adlam, unicode.Hanifi_Rohingya,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Balinese, unicode.Javanese,
}

func joinsLetters(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, joining...)
}

// isVirama reports whether a character removes the vowel of the one before it. A joiner after it has an effect at the end
// of a word too (Indic_Syllabic_Category Virama and Pure_Killer).
func isVirama(r rune) bool {
	switch r {
	case 0x094d, 0x09cd, 0x0a4d, 0x0acd, 0x0b4d, 0x0bcd, 0x0c4d, 0x0ccd, 0x0d4d, 0x0dca, 0x1039, 0x103a, 0x17d2, 0x1b44, 0xa9c0:
		return true
	}
	return false
}
