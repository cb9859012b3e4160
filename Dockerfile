# Two images from one build: the collector (default) and the replay of the sample sessions (--target replay).
# Both run as the user 65532, who owns /sessions in both, so that a volume mounted there is writable for the replay
# whichever container is first.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -p /empty/sessions

FROM busybox:1.37 AS replay
COPY --from=build --chown=65532:65532 /empty/sessions /sessions
WORKDIR /samples
COPY testdata/claude testdata/claude
COPY deploy/replay.sh deploy/samples.txt ./
USER 65532:65532
ENTRYPOINT ["sh", "replay.sh", "samples.txt", "/sessions"]

FROM scratch AS collector
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /empty/sessions /sessions
COPY --from=build /src/bin/otelcol-tailspan /src/bin/tailspan /bin/
COPY deploy/config/docker.yaml /etc/otelcol-tailspan/config.yaml
USER 65532:65532
ENTRYPOINT ["/bin/otelcol-tailspan"]
CMD ["--config", "/etc/otelcol-tailspan/config.yaml"]
