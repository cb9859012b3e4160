package servers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/tools/program"
)

// Names of the servers, as in docker-compose.yaml.
const (
	Jaeger          = "jaeger"
	VictoriaLogs    = "victorialogs"
	VictoriaMetrics = "victoriametrics"
	VMAlert         = "vmalert"
	Prometheus      = "prometheus"
	Collector       = "collector"
)

// startLimit bounds the time until a server responds; all together have a minute.
const startLimit = time.Minute

// Settings configures what is started.
type Settings struct {
	// Programs maps names of servers to the paths of their programs. A server without a program is not started.
	Programs map[string]string
	// Root is the root of the repository, which has the configuration files.
	Root string
	// Out is the folder for data, logs and sessions. Start empties it.
	Out string
	// CollectorArguments are additional arguments of the collector, such as a second --config.
	CollectorArguments []string
	// Environment is added to the environment of the collector.
	Environment []string
}

// Stack is a running set of servers.
type Stack struct {
	settings Settings
	ports    map[string]string // by the names in wishes
	running  map[string]*program.Process
	order    []string
}

// wishes are the usual ports.
var wishes = map[string]int{
	"jaeger": 16686, "jaeger_grpc": 16685, "jaeger_otlp": 0, "victorialogs": 9428, "victoriametrics": 8428, "vmalert": 8880, "prometheus": 9090,
	"otlp_grpc": 4317, "otlp_http": 4318, "health": 13133, "telemetry": 8888,
}

// server describes how a server is started.
type server struct {
	name        string
	arguments   []string
	environment []string
	ready       string // the address that responds when the server is ready
}

// Start starts all servers that have a program, the collector last, and waits until each responds.
func Start(ctx context.Context, s Settings) (*Stack, error) {
	for _, path := range []*string{&s.Root, &s.Out} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return nil, err
		}
		*path = absolute
	}
	if err := os.RemoveAll(s.Out); err != nil {
		return nil, err
	}
	for _, folder := range []string{"sessions", "storage", "log"} {
		if err := os.MkdirAll(filepath.Join(s.Out, folder), 0o755); err != nil {
			return nil, err
		}
	}
	stack := &Stack{settings: s, ports: map[string]string{}, running: map[string]*program.Process{}}
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(wishes)) {
		port, err := program.FreePort(wishes[name])
		for err == nil && taken[port] {
			port, err = program.FreePort(0)
		}
		if err != nil {
			return nil, err
		}
		taken[port], stack.ports[name] = true, port
	}
	all, err := stack.servers()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if s.Programs[one.name] == "" {
			continue
		}
		if err := stack.start(ctx, one); err != nil {
			return nil, errors.Join(err, stack.Stop())
		}
	}
	return stack, nil
}

// Address returns the host and port of a server, or of an endpoint of the collector: otlp_grpc, otlp_http, health, telemetry.
func (s *Stack) Address(name string) string { return "127.0.0.1:" + s.ports[name] }

// Has reports whether a server was started.
func (s *Stack) Has(name string) bool { return s.running[name] != nil }

// Sessions returns the folder that the collector follows.
func (s *Stack) Sessions() string { return filepath.Join(s.settings.Out, "sessions") }

// Log returns the path of a server's log.
func (s *Stack) Log(name string) string { return filepath.Join(s.settings.Out, "log", name+".log") }

func (s *Stack) servers() ([]server, error) {
	config := func(name string) string { return filepath.Join(s.settings.Root, "deploy", "stack", "config", name) }
	data := func(name string) string { return filepath.Join(s.settings.Out, "data", name) }
	prometheus, err := s.prometheusConfig(config("prometheus.yaml"))
	if err != nil {
		return nil, err
	}
	return []server{
		{
			name: Jaeger, arguments: []string{"--config", config("jaeger.yaml")}, ready: "http://" + s.Address(Jaeger) + "/api/services",
			environment: []string{"JAEGER_HTTP=" + s.Address(Jaeger), "JAEGER_GRPC=" + s.Address("jaeger_grpc"), "JAEGER_LISTEN=" + s.Address("jaeger_otlp")},
		},
		{
			name: VictoriaLogs, ready: "http://" + s.Address(VictoriaLogs) + "/health",
			arguments: append([]string{"-storageDataPath=" + data(VictoriaLogs), "-httpListenAddr=" + s.Address(VictoriaLogs)}, VictoriaLogsFlags...),
		},
		{
			name: VictoriaMetrics, ready: "http://" + s.Address(VictoriaMetrics) + "/health",
			arguments: append([]string{
				"-storageDataPath=" + data(VictoriaMetrics), "-httpListenAddr=" + s.Address(VictoriaMetrics), "-promscrape.config=" + config("scrape.yaml"),
				"-vmalert.proxyURL=http://" + s.Address(VMAlert),
			}, VictoriaMetricsFlags...),
			environment: []string{
				"COLLECTOR_TELEMETRY=" + s.Address("telemetry"), "VICTORIALOGS=" + s.Address(VictoriaLogs), "VICTORIAMETRICS=" + s.Address(VictoriaMetrics),
			},
		},
		{
			name: VMAlert, ready: "http://" + s.Address(VMAlert) + "/health",
			arguments: append([]string{
				"-httpListenAddr=" + s.Address(VMAlert), "-rule=" + config("rules") + "/*.rules.yaml",
				"-datasource.url=http://" + s.Address(VictoriaMetrics), "-remoteWrite.url=http://" + s.Address(VictoriaMetrics),
			}, VMAlertFlags...),
		},
		{
			name: Prometheus, ready: "http://" + s.Address(Prometheus) + "/-/ready",
			arguments: []string{"--config.file=" + prometheus, "--storage.tsdb.path=" + data(Prometheus), "--web.listen-address=" + s.Address(Prometheus)},
		},
		{
			name: Collector, ready: "http://" + s.Address("health") + "/",
			arguments: append([]string{"--config", filepath.Join(s.settings.Root, "deploy", "config", "stack.yaml")}, s.settings.CollectorArguments...),
			environment: append([]string{
				"SESSIONS=" + s.Sessions(), "STORAGE=" + filepath.Join(s.settings.Out, "storage"),
				"OTLP_GRPC=" + s.Address("otlp_grpc"), "OTLP_HTTP=" + s.Address("otlp_http"), "HEALTH=" + s.Address("health"),
				"TELEMETRY_HOST=127.0.0.1", "TELEMETRY_PORT=" + s.ports["telemetry"],
				"JAEGER_OTLP=" + s.Address("jaeger_otlp"), "VICTORIALOGS=" + s.Address(VictoriaLogs), "VICTORIAMETRICS=" + s.Address(VictoriaMetrics),
			}, s.settings.Environment...),
		},
	}, nil
}

// prometheusConfig writes the configuration of Prometheus, which supports no variables, with the right address.
func (s *Stack) prometheusConfig(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	config := strings.ReplaceAll(string(text), "127.0.0.1:8428", s.Address(VictoriaMetrics))
	config = strings.ReplaceAll(config, "rules/", filepath.Join(filepath.Dir(path), "rules")+"/")
	out := filepath.Join(s.settings.Out, "prometheus.yaml")
	return out, os.WriteFile(out, []byte(config), 0o600)
}

func (s *Stack) start(ctx context.Context, one server) error {
	cmd := exec.Command(s.settings.Programs[one.name], one.arguments...)
	ownGroup(cmd)
	process, err := program.Start(one.name, cmd, one.environment, s.Log(one.name))
	if err != nil {
		return err
	}
	s.running[one.name], s.order = process, append(s.order, one.name)
	return process.Await(ctx, one.name+" at "+one.ready, startLimit, func(ctx context.Context) (bool, error) {
		body, err := program.Get(ctx, one.ready)
		if err != nil {
			return false, err
		}
		return true, body.Close()
	})
}

// StopOne stops one server.
func (s *Stack) StopOne(name string) error {
	process := s.running[name]
	if process == nil {
		return fmt.Errorf("stop %s: not running", name)
	}
	delete(s.running, name)
	return process.Stop(program.StopGrace)
}

// Stop stops all servers in reverse order.
func (s *Stack) Stop() error {
	var errs []error
	for _, name := range slices.Backward(s.order) {
		if s.running[name] != nil {
			errs = append(errs, s.StopOne(name))
		}
	}
	return errors.Join(errs...)
}
