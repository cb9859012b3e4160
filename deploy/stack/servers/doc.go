// Package servers starts the servers of the stack as local processes with the configuration files that docker-compose.yaml mounts
// into its containers. A server gets its usual port if that is free, otherwise any free port.
package servers
