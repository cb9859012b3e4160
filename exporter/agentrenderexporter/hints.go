package agentrenderexporter

import (
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/render"
)

// verboseKeys are the settings that only verbose mode uses.
var verboseKeys = [...]string{"style", "reasoning", "results", "summary", "throttle_scope", "throttle_interval"}

// Unmarshal reads the configuration and records which of its settings have no effect.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c); err != nil {
		return err
	}
	c.idle = nil
	if c.Mode != render.ModeVerbose.String() {
		var keys []string
		for _, key := range verboseKeys {
			if conf.IsSet(key) {
				keys = append(keys, key)
			}
		}
		c.addIdle(keys, "mode: verbose")
	}
	if rotation, err := conf.Sub("rotation"); err == nil && !c.Rotation.Enabled && !rotation.IsSet("enabled") {
		c.addIdle(rotation.AllKeys(), "rotation::enabled: true")
	}
	return nil
}

// idleSettings are settings without effect, and the setting that they require.
type idleSettings struct{ keys, needs string }

func (c *Config) addIdle(keys []string, needs string) {
	if len(keys) > 0 {
		c.idle = append(c.idle, idleSettings{strings.Join(keys, ", "), needs})
	}
}

// configHints warns once about each setting that has no effect.
type configHints struct {
	logger *zap.Logger
	idle   []idleSettings
	lines  bool // the mode shows lines, and no records have arrived yet
}

func newConfigHints(cfg *Config, mode render.Mode, logger *zap.Logger) *configHints {
	return &configHints{logger: logger, idle: cfg.idle, lines: mode == render.ModeJSON}
}

// start warns about settings without an effect.
func (a *configHints) start() {
	for _, s := range a.idle {
		a.logger.Warn("settings have no effect", zap.String("settings", s.keys), zap.String("needs", s.needs))
	}
}

// batch warns if the mode shows only lines and the first records have none.
func (a *configHints) batch(records int64, lines bool) {
	if !a.lines || records == 0 && !lines {
		return
	}
	a.lines = false
	if !lines {
		a.logger.Warn("mode json shows only input lines and records have none; set raw_lines: true at the receiver agent_stream, or another mode")
	}
}
