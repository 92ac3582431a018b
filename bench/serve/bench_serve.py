#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Requests per second and latency of `gradus serve`, against gunicorn with XGBoost.

usage: bench/serve/bench_serve.py BUILD_FOLDER WORK_FOLDER [TIMES]

One request scores 100 documents of 136 features with 300 trees, as JSON tensors and binary tensors of the
Open Inference Protocol and as POST /rank. JSON has the numbers of the data file, of up to 6 digits, or up to
17 digits, as Python writes float32 values. gradus has 1 and 2 threads; gunicorn has 2 workers, which score the
same trees (exported by gradus) with XGBoost's inplace_predict on one thread each. wrk sends over loopback on
8 connections that are kept alive, to each server in turn, TIMES times (default 9) for a second; medians. The
table also has the processor time of the server per request, which other programs disturb less. Then one run of
each cell with hey, and one run of gradus with 1 % malformed requests. Takes two and a half minutes. Needs the
Debian packages wrk, hey, gunicorn and python3-xgboost. Data and models are kept in WORK_FOLDER."""
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

import numpy

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
from tables import table  # noqa: E402

build, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
times = int(sys.argv[3]) if len(sys.argv) > 3 else 9
DOCUMENTS, FEATURES, TREES = 100, 136, 300
SECONDS, CONNECTIONS, WRK_THREADS = 1, 8, 4
JSON, BINARY = "application/json", "application/octet-stream"
TICKS = os.sysconf("SC_CLK_TCK")


def path(name):
    return os.path.join(folder, name)


def gradus(*words):
    subprocess.run([build + "/gradus", *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def make_models():
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(path("web.json")):
        gradus("synth", "web", "--queries", "300", "-o", path("serve.txt"))
        gradus("train", "--train", path("serve.txt"), "--rounds", str(TREES), "--patience", "0", "-o",
               path("web.model"))
        gradus("export", path("web.model"), "--format", "xgboost-json", "--no-parity", "-o",
               path("web.json"))


def read_documents():
    """The values of the first documents as written in the data: with 6 digits or fewer."""
    documents = []
    with open(path("serve.txt")) as file:
        for line in file:
            pairs = dict(word.split(":") for word in line.split("#")[0].split()[2:])
            documents.append([pairs.get(str(f + 1), "0") for f in range(FEATURES)])
            if len(documents) == DOCUMENTS:
                return documents


class Body:
    """A kind of request: what is sent where."""

    def __init__(self, name, url_path, content, content_type=JSON, header=0):
        self.name, self.path, self.size, self.header = name, url_path, len(content), header
        self.content, self.type, self.file = content, content_type, path(f"body-{len(content)}")
        with open(self.file, "wb") as file:
            file.write(content)

    def send(self, server):
        """The scores of one answer, in the order of the request, and its bytes."""
        headers = {"Content-Type": self.type}
        if self.header:
            headers["Inference-Header-Content-Length"] = str(self.header)
        with urllib.request.urlopen(urllib.request.Request(server.url + self.path, self.content, headers),
                                    timeout=10) as answer:
            content = answer.read()
            head = int(answer.headers.get("Inference-Header-Content-Length", 0))
        if head:
            return numpy.frombuffer(content, dtype=numpy.float64, offset=head), content
        parsed = json.loads(content)
        if "outputs" in parsed:
            return numpy.array(parsed["outputs"][0]["data"]), content
        by_id = {d["id"]: d["score"] for d in parsed["documents"]}
        return numpy.array([by_id[f"d{i}"] for i in range(DOCUMENTS)]), content


def make_bodies(documents):
    tensor = {"name": "features", "shape": [DOCUMENTS, FEATURES], "datatype": "FP32"}
    shape = json.dumps({"inputs": [tensor]}, separators=(",", ":"))
    values = ",".join(",".join(d) for d in documents)
    binary = numpy.array(documents, dtype=numpy.float32).tobytes()
    head = json.dumps({"inputs": [{**tensor, "parameters": {"binary_data_size": len(binary)}}],
                       "parameters": {"binary_data_output": True}}, separators=(",", ":")).encode()
    ranked = ",".join(f'{{"id":"d{i}","features":[{",".join(d)}]}}' for i, d in enumerate(documents))
    infer = "/v2/models/web/infer"
    doubles = ",".join(map(repr, numpy.array(documents, dtype=numpy.float32).ravel().tolist()))
    return [Body("infer, JSON", infer, (shape[:-3] + f',"data":[{values}]}}]}}').encode()),
            Body("infer, JSON, 17 digits", infer, (shape[:-3] + f',"data":[{doubles}]}}]}}').encode()),
            Body("/rank, JSON", "/rank", f'{{"documents":[{ranked}]}}'.encode()),
            Body("infer, binary", infer, head + binary, BINARY, len(head))]


class Server:
    """A process that answers, with the processes that it starts."""

    def __init__(self, name, words, environment):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.name = name
        address = self.url.removeprefix("http://")
        self.process = subprocess.Popen([w.replace("ADDRESS", address) for w in words], cwd=here,
                                        env={**os.environ, **environment}, stdout=subprocess.DEVNULL)

    def wait(self, body):
        """Until it answers; the scores."""
        for _ in range(200):
            try:
                return body.send(self)
            except OSError:
                if self.process.poll() is not None:
                    sys.exit(f"{self.name} ended with status {self.process.returncode}")
                time.sleep(0.1)
        sys.exit(f"{self.name} does not answer")

    def cpu_seconds(self):
        pid = str(self.process.pid)
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            pids = [pid, *file.read().split()]
        ticks = 0
        for each in pids:
            with open(f"/proc/{each}/stat") as file:
                ticks += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        return ticks / TICKS

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_servers(stack):
    def start(name, words, environment=None):
        server = Server(name, words, environment or {})
        stack.callback(server.end)
        return server

    threads = {n: start(f"gradus, {n} thread{'s' * (n > 1)}",
                        [build + "/gradus", "serve", path("web.model"), "--listen", "ADDRESS",
                         "--threads", str(n), "--quiet"]) for n in (1, 2)}
    # gthread: the workers of the default kind close the connection after each request
    baseline = start("gunicorn, 2 workers", [
        "gunicorn", "--workers", "2", "--worker-class", "gthread", "--threads", "1", "--keep-alive", "60",
        "--log-level", "error", "--bind", "ADDRESS", "xgboost_app:application"],
        {"MODEL": path("web.json"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"})
    return [*threads.values(), baseline]


def check_scores(servers, bodies):
    """All answers have the same scores: those of gradus to the bit, XGBoost's as floats."""
    expected, _ = servers[0].wait(bodies[0])
    for server in servers:
        for body in bodies:
            scores, _ = server.wait(body)
            if not numpy.allclose(scores, expected, rtol=1e-5, atol=1e-5):
                sys.exit(f"{server.name}, {body.name}: other scores")
            if server.name.startswith("gradus") and not numpy.array_equal(scores, expected):
                sys.exit(f"{server.name}, {body.name}: scores are not bit-equal")


def wrk(server, body, script, words, connections, threads):
    out = subprocess.run(
        ["wrk", "--threads", str(threads), "--connections", str(connections), "--duration",
         f"{SECONDS}s", "--timeout", "10s", "--script", os.path.join(here, script), server.url + body.path,
         "--", *words], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    return json.loads(out.splitlines()[-1])


def run_wrk(server, body):
    """Requests per second, p50 and p99 in ms, and processor time of the server per request in us."""
    before = server.cpu_seconds()
    found = wrk(server, body, "send.lua", [body.file, body.type, str(body.header)], CONNECTIONS,
                WRK_THREADS)
    if found["errors"]:
        sys.exit(f"{server.name}, {body.name}: {found['errors']} failed requests")
    cpu = server.cpu_seconds() - before
    return [found["requests"] / found["seconds"], found["p50"] / 1e3, found["p99"] / 1e3,
            cpu * 1e6 / found["requests"]]


def run_hey(server, body):
    """The same with hey: requests per second, p50 and p99 in ms."""
    words = ["-H", f"Inference-Header-Content-Length: {body.header}"] if body.header else []
    out = subprocess.run(["hey", "-z", f"{SECONDS}s", "-c", str(CONNECTIONS), "-m", "POST", "-T",
                          body.type, "-D", body.file, *words, server.url + body.path], check=True,
                         stdout=subprocess.PIPE, text=True, timeout=60).stdout
    codes = re.findall(r"\[(\d+)\]\s+(\d+) responses", out)
    if [code for code, _ in codes] != ["200"] or "Error distribution" in out:
        sys.exit(f"{server.name}, {body.name}: hey counts failed requests:\n{out}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    p50, p99 = (1e3 * float(re.search(rf"{p}% in ([\d.]+) secs", out)[1]) for p in (50, 99))
    return [rate, p50, p99]


def run_mixed(server, body):
    _, answer = body.send(server)
    with open(path("answer"), "wb") as file:
        file.write(answer)
    return wrk(server, body, "mixed.lua", [body.file, path("answer")], WRK_THREADS, WRK_THREADS)


def measure(servers, bodies):
    found = {(s.name, b.name): [] for b in bodies for s in servers}
    for turn in range(times):
        for body in bodies:
            for server in servers:
                found[server.name, body.name].append(run_wrk(server, body))
        print(f"  {turn + 1} of {times}", file=sys.stderr, flush=True)
    return {cell: [statistics.median(column) for column in zip(*several)]
            for cell, several in found.items()}


def print_wrk(middle, servers, bodies):
    rows = []
    for body in bodies:
        base = middle[servers[-1].name, body.name]
        for server in servers:
            rate, p50, p99, cpu = middle[server.name, body.name]
            rows.append([body.name, server.name, f"{rate:,.0f}", f"{rate / base[0]:.1f}", f"{p50:.2f}",
                         f"{p99:.2f}", f"{cpu:,.0f}", f"{base[3] / cpu:.1f}"])
    table(["request", "server", "requests/s", "times gunicorn", "p50 ms", "p99 ms", "CPU us/request",
           "gunicorn / this"], rows, markdown=True)


def main():
    make_models()
    bodies = make_bodies(read_documents())
    with contextlib.ExitStack() as stack:
        servers = start_servers(stack)
        check_scores(servers, bodies)
        middle = measure(servers, bodies)
        hey = [[b.name, s.name, *run_hey(s, b)] for b in bodies for s in servers]
        mixed = run_mixed(servers[1], bodies[0])
    print(f"{DOCUMENTS} documents of {FEATURES} features, {TREES} trees; bytes of a request: "
          + ", ".join(f"{b.size:,} ({b.name})" for b in bodies))
    print(f"wrk, {WRK_THREADS} threads, {CONNECTIONS} connections, {SECONDS} s, median of {times}")
    print_wrk(middle, servers, bodies)
    print(f"hey, {CONNECTIONS} connections, {SECONDS} s, once")
    table(["request", "server", "requests/s", "p50 ms", "p99 ms"],
          [[body, server, f"{rate:,.0f}", f"{p50:.2f}", f"{p99:.2f}"]
           for body, server, rate, p50, p99 in hey], markdown=True)
    print(f"1 % malformed, {servers[1].name}, {bodies[0].name}, {WRK_THREADS} connections: "
          f"{mixed['good']:,} good and {mixed['malformed']:,} malformed requests, {mixed['requests'] / mixed['seconds']:,.0f} per "
          f"second, p50 {mixed['p50'] / 1e3:.2f} ms, p99 {mixed['p99'] / 1e3:.2f} ms; wrong statuses: "
          f"{mixed['wrong_status']}, wrong answers: {mixed['wrong_bytes']}, broken connections: "
          f"{mixed['broken']}")
    sys.exit(1 if mixed["wrong_status"] + mixed["wrong_bytes"] + mixed["broken"] else 0)


if __name__ == "__main__":
    main()
