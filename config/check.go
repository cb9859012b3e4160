package config

import (
	"fmt"
	"time"
)

func positive[N int | Size](key string, n N) error {
	if n <= 0 {
		return fmt.Errorf("%s must be positive, got %v", key, n)
	}
	return nil
}

func positiveDuration(key string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("%s must be positive, got %v", key, d)
	}
	return nil
}

func notNegative(key string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("%s must not be negative, got %v", key, d)
	}
	return nil
}
