// Package deploy holds what is needed to run tailspan: the manifest of the collector build, ready collector
// configurations (config/), recipes for CI jobs (recipes/), and parts of the container set-up whose Dockerfile and docker-compose.yaml
// are in the root. It has no code of its own; its tests hold these files to each other and to the module.
package deploy
