# Limits: of heads, bodies, connections and idle time; and what slow clients cost.

import socket
import time

from page import status_of
from project import check, eventually, expect, expect_equal, Project, resident, waits, with_page

WORKFLOWS = {"one": "name: one\nsteps: [{ id: a, run: 'echo x >> log' }]\n"}
STEPS = 3400
MANY = ("name: many\nmax-parallel: 8\nsteps:\n  - { id: s, needs: [], foreach: "
        f"{list(range(STEPS))}, run: 'true' }}\n")


def expect_refused(what, answer):
    """Expects an error without a body of the API, or none at all."""
    status = status_of(answer)
    expect(status is None or status >= 400, f"an error for {what}", answer[:80])


@with_page(WORKFLOWS)
def heads_have_at_most_16_kib_and_64_fields(_, page):
    line = "GET /icon.svg HTTP/1.1"
    expect_equal("15 KiB", status_of(page.raw(page.head(line, "X: " + "x" * 15000))), 200)
    expect_refused("a field of 17 KiB", page.raw(page.head(line, "X: " + "x" * 17000)))
    expect_refused("fields of 17 KiB", page.raw(
        page.head(line, *(f"X-{number}: {'x' * 850}" for number in range(20)))))
    expect_refused("a path of 17 KiB", page.raw(page.head(f"GET /{'x' * 17000} HTTP/1.1")))
    names = [f"X-{number}: 1" for number in range(70)]
    expect_equal("64 fields", status_of(page.raw(page.head(line, *names[:62]))), 200)
    expect_refused("65 fields", page.raw(page.head(line, *names[:63])))
    # A head without end is not collected.
    with page.connect() as connection:
        connection.settimeout(10)
        try:
            connection.sendall(page.head(line)[:-2].encode())
            for _ in range(1000):
                connection.sendall(b"X: " + b"x" * 1000 + b"\r\n")
            expect_refused("a head of 1 MB", connection.recv(1000))
        except ConnectionError:
            pass


@with_page(WORKFLOWS)
def bodies_have_at_most_64_kib(own, page):
    for size, status in ((65536, 400), (65537, 413), (10 ** 9, 413)):
        fields = {**page.change_fields(), "Content-Length": str(size)}
        seen = page.request("POST", "/api/runs", "x" * min(size, 65536), fields).status
        expect_equal(f"{size} bytes: the status", seen, status)
    before = resident(page.process.pid)
    fields = [f"{name}: {value}" for name, value in page.change_fields().items()]
    head = page.head("POST /api/runs HTTP/1.1", *fields, "Transfer-Encoding: chunked", key=False)
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    sent = 0
    with page.connect() as connection:
        connection.settimeout(1)
        try:
            connection.sendall(head.encode())
            for _ in range(1000):
                connection.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
        try:
            expect_refused("64 MB in chunks", connection.recv(1000))
        except OSError:
            pass
    grown = resident(page.process.pid) - before
    expect(grown < 30, "less than 30 MiB more memory", f"{grown:.0f} MiB for {sent} bytes")
    expect_equal("runs", own.ids(), set())
    return f"{sent >> 20} MiB of chunks were read"


@with_page(WORKFLOWS)
def broken_requests_get_an_error(_, page):
    host = f"Host: {page.host}\r\n"
    heads = [
        "GET /\r\n\r\n", "GET\r\n\r\n", f"GET / HTTP/9.9\r\n{host}\r\n", f" / HTTP/1.1\r\n{host}\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", f"GET /\0 HTTP/1.1\r\n{host}\r\n", b"\0" * 100,
        f"GET / HTTP/1.1\r\n{host}X: a\0b\r\n\r\n", f"GET / HTTP/1.1\r\n{host}X : a\r\n\r\n",
        f"GET / HTTP/1.1\r\n{host}: a\r\n\r\n", f"GET /%zz HTTP/1.1\r\n{host}\r\n",
        f"GET /%f0%28%8c%28 HTTP/1.1\r\n{host}\r\n", f"GET /%00 HTTP/1.1\r\n{host}\r\n",
        f"GET /?%zz HTTP/1.1\r\n{host}\r\n", f"GET /?a=1&a=2 HTTP/1.1\r\n{host}\r\n",
        f"POST /api/runs HTTP/1.1\r\n{host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0",
        f"POST /api/runs HTTP/1.1\r\n{host}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        f"POST /api/runs HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n",
        f"CONNECT {page.host} HTTP/1.1\r\n{host}\r\n", b"\x16\x03\x01\x02\x00\x01\x00" + b"x" * 500,
    ]
    for head in heads:
        expect_refused(repr(head[:60]), page.raw(head, patience=1))
    expect_equal("a huge query", page.get(f"/api/runs?x={'x' * 15000}").status, 200)
    expect_equal("others are served", page.get("/api/runs").status, 200)


@with_page(WORKFLOWS)
def garbage_after_a_request_is_not_served(_, page):
    good = page.head("GET /api/project HTTP/1.1")
    for garbage in ("GARBAGE\r\n\r\n", "\0\0\0", "GET /api/runs HTTP/1.1\r\n\r\n"):
        with page.connect() as connection:
            connection.settimeout(2)
            connection.sendall((good + garbage).encode())
            answer = b""
            try:
                while data := connection.recv(65536):
                    answer += data
            except OSError:
                pass
        expect_equal(f"answers with 200 before {garbage!r}", answer.count(b"HTTP/1.1 200"), 1)
    # Complete requests on one connection are answered in order.
    with page.connect() as connection:
        connection.settimeout(5)
        connection.sendall((good * 20).encode())
        answer = b""
        while answer.count(b'"version":') < 20:
            data = connection.recv(65536)
            expect(data, "20 answers", answer.count(b"HTTP/1.1 200"))
            answer += data


@with_page(WORKFLOWS)
def connections_are_limited_to_128(_, page):
    held = [page.connect() for _ in range(200)]
    try:
        def sockets():
            with open(f"/proc/{page.process.pid}/net/tcp", encoding="ascii") as file:
                rows = [line.split() for line in file.read().splitlines()[1:]]
            accepted = [row for row in rows if row[1].endswith(f":{page.port:04X}")
                        and row[3] == "01" and row[9] != "0"]
            return len(accepted)
        eventually("connections are accepted", lambda: sockets() >= 100)
        eventually("at most 128 connections of 200", lambda: sockets() <= 130)
        count = sockets()
    finally:
        for connection in held:
            connection.close()
    began = time.monotonic()
    expect_equal("after that", page.get("/api/runs").status, 200)
    expect(time.monotonic() - began < 5, "an answer at once", time.monotonic() - began)
    return f"{count} accepted"


@with_page(WORKFLOWS)
def slow_heads_do_not_hold_others_up(_, page):
    slow = [page.connect() for _ in range(100)]
    for connection in slow:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127")
    worst = 0
    for _ in range(20):
        for connection in slow:
            connection.sendall(b".")
        began = time.monotonic()
        expect_equal("others are served", page.get("/api/runs").status, 200)
        worst = max(worst, time.monotonic() - began)
    for connection in slow:
        connection.close()
    expect(worst < 1, "an answer within 1 s", worst)
    return f"slowest answer {1000 * worst:.0f} ms"


@with_page(WORKFLOWS)
def silent_connections_of_others_keep_nobody_out(_, page):
    """Those without a session make room; those of the page stay."""
    kept = page.connect()
    kept.settimeout(5)
    kept.sendall(page.head("GET /api/events HTTP/1.1").encode())
    expect(kept.recv(1000).startswith(b"HTTP/1.1 200"), "a stream", "no answer")
    silent, worst = [], 0
    for _ in range(3):
        for _ in range(150):
            silent.append(page.connect())
            silent[-1].sendall(b"GET / HTTP/1.1\r\nHost: 127")
        began = time.monotonic()
        expect_equal("others are served", page.get("/api/runs").status, 200)
        worst = max(worst, time.monotonic() - began)
    kept.settimeout(40)
    while b"still here" not in kept.recv(65536):
        pass
    for connection in [kept, *silent]:
        connection.close()
    expect(worst < 5, "within 5 s", worst)
    return f"slowest answer {1000 * worst:.0f} ms"


@waits
@with_page(WORKFLOWS)
def idle_connections_are_closed_after_60_s(_, page):
    def closes(connection, text, within):
        """When the server closes a connection that sends something every 5 s."""
        began = time.monotonic()
        connection.settimeout(5)
        while time.monotonic() - began < within:
            try:
                connection.sendall(text)
                if not connection.recv(65536):
                    return time.monotonic() - began
            except socket.timeout:
                continue
            except ConnectionError:
                return time.monotonic() - began
        return None
    with page.connect() as silent, page.connect() as half:
        half.sendall(b"GET / HTTP/1.1\r\nHo")
        for what, connection in (("a silent one", silent), ("half a head", half)):
            took = closes(connection, b"", 80)
            expect(took is not None, f"{what} is closed within 80 s", "it is open")
    with page.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nX: ")
        took = closes(slow, b"x", 90)
    return f"a head at 0.2 bytes a second: {f'closed after {took:.0f} s' if took else 'not closed'}"


@waits
@with_page(WORKFLOWS)
def a_quiet_stream_stays_open(_, page):
    """It is not idle: a comment comes every 15 seconds, so a reader knows that it is live."""
    with page.connect() as connection:
        connection.settimeout(40)
        connection.sendall(page.head("GET /api/events HTTP/1.1").encode())
        seen, began = b"", time.monotonic()
        while seen.count(b": still here") < 5:
            data = connection.recv(65536)
            expect(data, "an open stream", f"closed after {time.monotonic() - began:.0f} s")
            seen += data
        expect(time.monotonic() - began > 60, "comments each 15 s", time.monotonic() - began)


@check
def readers_that_never_read_cost_no_memory(reprise):
    """Ten of them, while more than 10,000 events happen."""
    with Project(reprise, {"many": MANY}) as own:
        page = own.serve()
        page.session()
        run = own.run("many")
        stalled = []
        for _ in range(10):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", page.port))
            connection.sendall(page.head(f"GET /api/events?run={run}:0 HTTP/1.1").encode())
            stalled.append(connection)
        own.ended(run, "succeeded", 180)
        events = page.read(f"/api/runs/{run}")["number"]
        expect(events >= 10000, "10,000 events", events)
        with_readers = resident(page.process.pid)
        for connection in stalled:
            connection.close()
        expect(with_readers < 200, "less than 200 MiB", f"{with_readers:.0f} MiB")
        return f"{events} events, {with_readers:.0f} MiB resident"


@with_page(WORKFLOWS)
def connections_that_are_gone_are_forgotten(own, page):
    """300 streams one after another leave neither descriptors nor readers behind."""
    import os
    count = lambda: len(os.listdir(f"/proc/{page.process.pid}/fd"))
    run = own.run_to_end("one", "succeeded")
    before = count()
    for _ in range(300):
        with page.connect() as connection:
            connection.sendall(page.head(f"GET /api/events?run={run}:0 HTTP/1.1").encode())
            connection.recv(1000)
    eventually(f"about {before} descriptors", lambda: count() <= before + 5, 40)
    expect_equal("others are served", page.get("/api/runs").status, 200)
