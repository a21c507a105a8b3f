# propsync in a container; docs/operations.md tells how to run it. Python and Debian are pinned, their patches are not:
# `docker build --pull` brings them.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build

# every file of the lock is checked against its hash
COPY requirements.lock ./
RUN --mount=type=cache,target=/root/.cache/pip \
    pip wheel --quiet --require-hashes --no-deps --wheel-dir /wheels --requirement requirements.lock

COPY pyproject.toml README.md prefect.yaml ./
COPY src ./src
COPY sql ./sql
COPY flows ./flows
RUN pip wheel --quiet --no-index --find-links /wheels --no-deps --wheel-dir /wheels .

# the lock has the tests' tools too: with no index but those wheels, pip takes of them what propsync and `serve` need
RUN python -m venv --without-pip /opt/propsync \
 && pip --python /opt/propsync/bin/python install --quiet --no-cache-dir --no-index --find-links /wheels \
    "$(echo /wheels/propsync-*.whl)[prefect,delta,dask,webhook]"


FROM python:3.11-slim-bookworm
COPY --from=build /opt/propsync /opt/propsync

# the number is fixed, so that a token file can be given to it; 0711 lets others reach published/ on a shared volume
RUN useradd --uid 10001 --create-home propsync \
 && install --directory --owner=propsync --group=propsync --mode=0711 /var/lib/propsync
ENV PATH=/opt/propsync/bin:$PATH \
    PROPSYNC_HOME=/var/lib/propsync
VOLUME /var/lib/propsync
WORKDIR /var/lib/propsync
USER 10001:10001

# the first process of a container gets only signals that it handles: Python handles SIGINT from the start
STOPSIGNAL SIGINT

# It checks the published tables, not the process: a container is healthy if the last night ran. A new one is
# "starting" until it publishes its first sync, or for 26 hours: as "unhealthy", an orchestrator might restart it.
HEALTHCHECK --interval=15m --timeout=1m --start-period=26h --retries=2 \
    CMD ["sh", "-c", "propsync status --max-age 26h || exit 1"]

ENTRYPOINT ["propsync"]
