# The two commands of README in a container:
#   docker build -t clirbench . && docker run --rm -v "$PWD/runs:/clirbench/runs" clirbench
FROM python:3.13-slim
RUN apt-get update && apt-get install -y --no-install-recommends git make && rm -rf /var/lib/apt/lists/*
WORKDIR /clirbench
COPY . .
RUN make install
ENTRYPOINT [".venv/bin/clirbench"]
