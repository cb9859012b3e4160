package telemetry

import "go.opentelemetry.io/collector/pdata/pcommon"

func putStr(m pcommon.Map, key, value string) {
	if value != "" {
		m.PutStr(key, value)
	}
}

func putTrue(m pcommon.Map, key string, value bool) {
	if value {
		m.PutBool(key, true)
	}
}

func putPositive(m pcommon.Map, key string, value int64) {
	if value > 0 {
		m.PutInt(key, value)
	}
}
