// Package servers starts the servers of the stack as processes of this machine, with the configuration files that
// docker-compose.yaml mounts into its containers. A port is the usual one of its server if that is free, else any.
package servers
