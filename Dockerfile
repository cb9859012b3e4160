# Two images from one build: the collector (default) and the sample agents (--target agents). Both run as the user 65532,
# who owns the folders that volumes are mounted on, so that they are writable whichever container is first.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && CGO_ENABLED=0 go build -trimpath -o bin/ ./deploy/probe && CGO_ENABLED=0 go build -C tools -trimpath -o ../bin/ ./agent && mkdir -p /empty/sessions /empty/storage /empty/tmp

FROM scratch AS agents
COPY --from=build --chown=65532:65532 /empty/sessions /sessions
COPY --from=build --chown=65532:65532 /empty/tmp /tmp
COPY --from=build /src/bin/agent /src/bin/tailspan /bin/
WORKDIR /samples
COPY testdata/claude testdata/claude
COPY testdata/codex testdata/codex
COPY testdata/gemini testdata/gemini
COPY testdata/opencode testdata/opencode
COPY testdata/qwen testdata/qwen
COPY tools/agent/sessions.txt tools/agent/sessions.txt
USER 65532:65532
ENTRYPOINT ["/bin/agent", "-sessions", "/sessions", "-tailspan", "/bin/tailspan"]

FROM scratch AS collector
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /empty/sessions /sessions
COPY --from=build --chown=65532:65532 /empty/storage /storage
COPY --from=build /src/bin/otelcol-tailspan /src/bin/tailspan /src/bin/probe /bin/
COPY deploy/config/stack.yaml /etc/otelcol-tailspan/config.yaml
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=4s --start-period=5s CMD ["/bin/probe", "http://127.0.0.1:13133/"]
ENTRYPOINT ["/bin/otelcol-tailspan"]
CMD ["--config", "/etc/otelcol-tailspan/config.yaml"]
