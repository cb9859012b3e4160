package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/deploy/stack/servers"
	"github.com/tailspan/tailspan/tools/program"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatalf("stack: %v", err)
	}
}

func run() error {
	settings := servers.Settings{Programs: map[string]string{}}
	all := []string{servers.Collector, servers.Jaeger, servers.VictoriaLogs, servers.VictoriaMetrics, servers.VMAlert, servers.Prometheus}
	for _, name := range all {
		flag.Func(name, "the program of "+name+"; without it there is none", func(path string) error {
			settings.Programs[name] = path
			return nil
		})
	}
	flag.StringVar(&settings.Root, "root", ".", "the root of the repository")
	flag.StringVar(&settings.Out, "out", "build/stack", "the folder for data, logs and sessions; it is emptied")
	agent := flag.String("agent", "", "the program of the sample agents; without it there are none")
	command := flag.String("command", "", "the tailspan program, for the agents that are killed")
	every := flag.Duration("every", 2*time.Minute, "time between two runs of a sample pipeline")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begin := time.Now()
	stack, err := servers.Start(ctx, settings)
	if err != nil {
		return err
	}
	if *agent == "" {
		fmt.Printf("The stack is up after %.0f s.\n", time.Since(begin).Seconds())
		show(stack)
		<-ctx.Done()
		return stack.Stop()
	}
	agents := exec.Command(*agent, "-list", filepath.Join(settings.Root, "tools", "agent", "sessions.txt"), "-sessions", stack.Sessions(),
		"-tailspan", *command, "-otlp", "http://"+stack.Address("otlp_http"), "-every", every.String())
	agents.Dir = settings.Root
	process, err := program.Start("agents", agents, nil, stack.Log("agents"))
	if err != nil {
		return errors.Join(err, stack.Stop())
	}
	fmt.Printf("The stack is up after %.0f s; sample agents are at work.\n", time.Since(begin).Seconds())
	show(stack)
	select {
	case <-ctx.Done():
		return errors.Join(process.Stop(program.StopGrace), stack.Stop())
	case <-process.Done():
		return errors.Join(process.Ended(), stack.Stop())
	}
}

func show(stack *servers.Stack) {
	for _, page := range []struct{ name, path, what string }{
		{servers.Jaeger, "/api/services", "traces (a Jaeger built from its Go module has the API only)"},
		{servers.VictoriaLogs, "/select/vmui/", "log records"},
		{servers.VictoriaMetrics, "/vmui/", "metrics"},
		{servers.VMAlert, "/vmalert/groups", "alert rules"},
		{servers.Prometheus, "/api/v1/rules", "the same metrics and rules in Prometheus (Debian's, unpacked, has the API only)"},
	} {
		if stack.Has(page.name) {
			fmt.Printf("  %-60s %s\n", "http://"+stack.Address(page.name)+page.path, page.what)
		}
	}
	fmt.Printf("  %-60s %s\n", stack.Log(servers.Collector), "the readable log\nCtrl-C stops it.")
}
