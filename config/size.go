package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. In a configuration it is a plain number, or a number with a unit: B, kB, MB, GB, TB (powers of
// 1000) or KiB, MiB, GiB, TiB (powers of 1024), as in "2MiB". Case does not matter.
type Size int64

// sizeUnits are the units and their sizes in bytes, longest names first, because each also ends in the last one.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"b", 1},
}

// UnmarshalText parses a size as written in a configuration.
func (s *Size) UnmarshalText(text []byte) error {
	number, bytes := strings.ToLower(strings.TrimSpace(string(text))), 1.0
	for _, unit := range sizeUnits {
		if before, ok := strings.CutSuffix(number, unit.name); ok {
			number, bytes = strings.TrimSpace(before), unit.bytes
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "+-.0123456789") != "" || math.Abs(value*bytes) >= math.MaxInt64 {
		return errors.New("size must be a number of bytes or have a unit as in 2MiB")
	}
	*s = Size(value * bytes)
	return nil
}

// String returns the size in the largest binary unit of which it is a multiple.
func (s Size) String() string {
	for _, unit := range []struct {
		name  string
		bytes Size
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if s != 0 && s%unit.bytes == 0 {
			return strconv.FormatInt(int64(s/unit.bytes), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
