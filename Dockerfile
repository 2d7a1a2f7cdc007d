# The two commands of README in a container:
#   docker build -t clirbench . && docker run --rm -v "$PWD/runs:/clirbench/runs" clirbench
FROM python:3.13 AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheel .

# What running needs, and nothing of tests and documentation.
FROM python:3.13-slim
COPY requirements-run.lock /
RUN pip install --no-cache-dir --require-hashes --requirement /requirements-run.lock
COPY --from=wheel /wheel /wheel
RUN pip install --no-cache-dir --no-deps /wheel/*.whl && rm -r /wheel
WORKDIR /clirbench
ENTRYPOINT ["clirbench"]
