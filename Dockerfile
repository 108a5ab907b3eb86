# biascore for the CPU: docker build -t biascore --build-arg EXTRAS=hf,report .
# docker run --rm --read-only --tmpfs /tmp -v "$PWD:/work" --user "$(id -u)" biascore audit hf:./model
# Nothing is written but below /tmp and /work; the cache lasts if a volume is mounted at /tmp/biascore.
FROM python:3.12-slim-bookworm AS build
ARG EXTRAS=hf,report
WORKDIR /src
COPY pyproject.toml README.md LICENSE NOTICE constraints.txt ./
COPY biascore biascore
COPY adapters adapters
COPY plugins plugins
COPY wordlists wordlists
RUN python -m venv /opt/biascore && \
    /opt/biascore/bin/python -m pip install --no-cache-dir --disable-pip-version-check -c constraints.txt \
      --extra-index-url https://download.pytorch.org/whl/cpu ".[${EXTRAS}]"

FROM python:3.12-slim-bookworm
RUN useradd --uid 1000 auditor
COPY --from=build /opt/biascore /opt/biascore
ENV PATH=/opt/biascore/bin:$PATH PYTHONDONTWRITEBYTECODE=1 HOME=/tmp USER=auditor BIASCORE_CACHE_DIR=/tmp/biascore
USER 1000
WORKDIR /work
ENTRYPOINT ["biascore"]
CMD ["--help"]
