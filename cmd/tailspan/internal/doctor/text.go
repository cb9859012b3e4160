package doctor

import "fmt"

// byteSize formats a size for people.
func byteSize(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n), "kMGTPE"
	i := -1
	for value >= unit && i < len(units)-1 {
		value /= unit
		i++
	}
	return fmt.Sprintf("%.1f %cB", value, units[i])
}
