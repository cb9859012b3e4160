package agentrenderexporter

import (
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/render"
)

// verboseKeys are the settings that no mode but verbose looks at.
var verboseKeys = [...]string{"style", "reasoning", "results", "summary", "throttle_scope", "throttle_interval"}

// Unmarshal reads the configuration, and notes which settings stand in it without an effect.
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

// idleSettings are settings without an effect, and the setting that would give them one.
type idleSettings struct{ keys, needs string }

func (c *Config) addIdle(keys []string, needs string) {
	if len(keys) > 0 {
		c.idle = append(c.idle, idleSettings{strings.Join(keys, ", "), needs})
	}
}

// adviser tells the user once of each setting that does not do what it looks like.
type adviser struct {
	logger *zap.Logger
	idle   []idleSettings
	lines  bool // the mode shows lines, and none has come yet
}

func newAdviser(cfg *Config, mode render.Mode, logger *zap.Logger) *adviser {
	return &adviser{logger: logger, idle: cfg.idle, lines: mode == render.ModeJSON}
}

// start tells of settings without an effect.
func (a *adviser) start() {
	for _, s := range a.idle {
		a.logger.Warn("settings have no effect", zap.String("settings", s.keys), zap.String("needs", s.needs))
	}
}

// batch tells of a mode that shows lines alone, where the first records that come bring no line.
func (a *adviser) batch(records int64, lines bool) {
	if !a.lines || records == 0 && !lines {
		return
	}
	a.lines = false
	if !lines {
		a.logger.Warn("mode json shows input lines alone, and the records have none: " +
			"set raw_lines: true at the receiver agent_stream, or another mode here")
	}
}
