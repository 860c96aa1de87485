# A trained model as an HTTP service. The model comes from outside:
#   make deb
#   docker build -t verbund-serve -f docker/serve.Dockerfile .
#   docker run -p 127.0.0.1:5000:5000 -e VERBUND_API_KEY=secret -v "$PWD/runs/demo:/model:ro" verbund-serve
# Further options of `verbund serve` follow the name of the image, e.g. --name translate.example.org
FROM debian:12-slim
COPY build/verbund_*.deb /tmp/verbund/
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /tmp/verbund/verbund_*.deb \
    && rm -rf /tmp/verbund /var/lib/apt/lists/* /var/cache/apt/archives/*.deb \
    && useradd --uid 1000 --create-home server
LABEL org.opencontainers.image.title="Verbund serve" \
      org.opencontainers.image.description="Translates over HTTP with a trained model" \
      org.opencontainers.image.licenses="Apache-2.0"
USER server
EXPOSE 5000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/5000; printf 'GET /health HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3; grep -q '\"ok\"' <&3"]
ENTRYPOINT ["verbund", "serve", "--host", "0.0.0.0", "--model", "/model"]
