# The rules of Documentation/web.md: addresses, token, session, names, secrets and other users.

import json
import os
import re
import socket
import stat
import subprocess

from project import Project, arguments, check, eventually, expect, expect_equal, processes
from project import with_page

SECRET = "correct-horse-battery-staple"
WORKFLOWS = {
    "quiet": """
name: quiet
secrets: { token: { env: THE_SECRET } }
params: { p: { type: string, default: none } }
steps:
  - id: talk
    env: { T: "${{ secrets.token }}" }
    run: |
      echo "it is $T"; printf '%s' "$T" | base64; echo "value=$T" >> $REPRISE_OUTPUT
  - id: fail
    env: { T: "${{ secrets.token }}" }
    run: echo "$T" >&2; exit 3
"""
}


def listening(process):
    """The addresses and ports at which a process listens, in hexadecimal digits."""
    sockets = set()
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            sockets.add(os.readlink(f"/proc/{process}/fd/{name}"))
        except FileNotFoundError:
            continue
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as file:
            for line in file.read().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                    found.add(fields[1])
    return found


@with_page(WORKFLOWS)
def it_listens_on_127_0_0_1_and_1_only(_, page):
    wanted = {f"0100007F:{page.port:04X}"}
    if os.path.exists("/proc/net/if_inet6"):
        wanted.add(f"00000000000000000000000001000000:{page.port:04X}")
    eventually("both addresses", lambda: len(listening(page.process.pid)) >= len(wanted))
    expect_equal("it listens at", listening(page.process.pid), wanted)
    expect_equal("the status over IPv6", page.request(
        "GET", "/", fields={"Host": f"[::1]:{page.port}"}, host="::1").status, 200)


@with_page(WORKFLOWS)
def a_wrong_token_gets_no_session(_, page):
    for body in ({"token": ""}, {"token": "0" * 64}, {"token": page.token[:-1]},
                 {"token": page.token + "0"}, {"token": page.token.upper() + " "},
                 {"token": page.key}):
        answer = page.request("POST", "/api/session", json.dumps(body),
                              page.change_fields(key="none"))
        expect(answer.status == 403 and page.key not in str(answer.body), "403", (body, answer))
    for body in ("", "{}", "[]", "null", '{"token":null}', '{"token":["x"]}', "{" * 10000):
        answer = page.request("POST", "/api/session", body, page.change_fields(key="none"))
        expect_equal(f"for {body[:20]!r} the status", answer.status, 400)


@with_page(WORKFLOWS)
def the_token_is_traded_for_a_session_that_is_no_cookie(_, page):
    expect_equal("without a session", page.request("GET", "/api/runs").status, 401)
    for _ in range(3):
        answer = page.session()
        expect(answer.field("Set-Cookie") is None, "no cookie", answer.fields)
        expect(re.fullmatch("[0-9a-f]{64}", page.key), "64 digits", page.key)
        expect(page.token != page.key, "another secret than the token", page.key)
        expect_equal("with the session", page.get("/api/runs").status, 200)


@with_page(WORKFLOWS)
def everything_below_api_needs_the_session(_, page):
    value = page.key
    wrong = [None, "", "1", page.token, value[:-1], f"{value}0", "0" * 64, f"session={value}"]
    paths = ["project", "runs", "runs/x", "runs/x/source", "runs/x/steps/y/log", "workflows",
             "watches", "compare", "table", "events", "nothing", "session"]
    for path in paths:
        for key in wrong:
            answer = page.request("GET", f"/api/{path}", fields={"X-Reprise": key})
            expect_equal(f"{path} with {key}: the status", answer.status, 401)
    expect_equal("as a cookie", page.request(
        "GET", "/api/runs", fields={"Cookie": f"reprise-{page.port}={value}"}).status, 401)


@with_page(WORKFLOWS)
def another_user_of_the_port_gets_nothing_of_worth(own, page):
    """Someone who listens there between two servers, and gets what an open page sends."""
    own.kill_page()
    sent = {"X-Reprise": page.key}
    again = own.serve(port=page.port)
    expect(again.token != page.token, "a new token", again.token)
    expect_equal("the old session", page.request("GET", "/api/runs", fields=sent).status, 401)
    start = page.change_fields()
    answer = page.request("POST", "/api/runs", '{"workflow":"leak"}', start)
    expect_equal("a start with the old session", answer.status, 401)
    expect_equal("the old token", again.session(page.token).status, 403)
    expect_equal("runs", own.ids(), set())


@with_page(WORKFLOWS)
def other_names_get_421_before_anything_else(_, page):
    port = page.port
    names = [f"evil.test:{port}", "127.0.0.1", "localhost", f"127.0.0.1:{port + 1}", "",
             f"127.0.0.1.evil.test:{port}", f"127.0.0.1:{port}.evil.test", f"127.0.0.2:{port}",
             f"evil.test@127.0.0.1:{port}", f"0.0.0.0:{port}", f"127.1:{port}", f"[::]:{port}",
             f"localhost.:{port}", f"127.0.0.1:0{port}", f"127.0.0.1:{port} ,evil.test",
             f"2130706433:{port}"]
    for name in names:
        for method, path in (("GET", "/"), ("GET", "/api/runs"), ("POST", "/api/runs"),
                             ("OPTIONS", "/"), ("GET", "/%zz"), ("PUT", "/")):
            fields = {**page.change_fields(), "Host": name, "Origin": f"http://{name}"}
            answer = page.request(method, path, None, fields)
            expect_equal(f"{method} {path} for {name!r}: the status", answer.status, 421)
    for name in ("127.0.0.1", "localhost", "[::1]"):
        fields = {"Host": f"{name}:{port}", "X-Reprise": page.key}
        expect_equal(name, page.request("GET", "/api/runs", fields=fields).status, 200)


@with_page(WORKFLOWS)
def a_name_is_sent_exactly_once(_, page):
    line, key = "GET /api/runs HTTP/1.1", f"X-Reprise: {page.key}"
    for hosts in ([], [page.host, page.host], [page.host, "evil.test"], ["evil.test", page.host]):
        fields = [f"Host: {host}" for host in hosts]
        answer = page.raw("\r\n".join([line, key, *fields, "", ""]))
        expect(answer.startswith(b"HTTP/1.1 421"), f"421 for {hosts}", answer[:60])
    # A target with a name, which browsers send to proxies only, does not stand for the field.
    for path in ("/", "/api/runs"):
        answer = page.raw(f"GET http://{page.host}{path} HTTP/1.1\r\nHost: evil.test\r\n"
                          f"{key}\r\n\r\n")
        expect(answer.startswith(b"HTTP/1.1 421"), "421 for the field", answer[:60])


@check
def secrets_are_masked_in_every_answer(reprise):
    with Project(reprise, WORKFLOWS) as own:
        own.environment["THE_SECRET"] = SECRET
        page = own.serve()
        page.session()
        run = own.run_to_end("quiet", "failed")
        started = page.change("/api/runs", {"workflow": "quiet"})["run"]
        own.ended(started, "failed")
        refused = page.post("/api/runs", {"workflow": "quiet", "params": {"p": SECRET}})
        answers = {path: page.get(path).body.decode() for path in (
            "/api/runs", f"/api/runs/{run}", f"/api/runs/{run}/steps/talk/log",
            f"/api/runs/{run}/steps/fail/log", f"/api/runs/{run}/steps/talk/log?find=it",
            f"/api/runs/{run}/source", "/api/workflows", "/api/table", "/api/watches",
            f"/api/compare?a={run}&b={started}")}
        answers["a refused start"] = refused.body.decode()
        for event, _, data in page.messages(f"/api/events?run={run}:0"):
            answers[f"the message {event}"] = json.dumps(data)
            if event == "run":
                break
        for path, text in answers.items():
            expect(SECRET not in text, f"no secret in {path}", text)
        for path in (f"/api/runs/{run}", f"/api/runs/{run}/steps/talk/log", "the message run"):
            expect("***" in answers[path], f"*** in {path}", answers[path])
        own.command("show", run, "--html", "report.html")
        report = own.read("report.html")
        expect(SECRET not in report and "***" in report, "a masked report", report[-300:])


@with_page(WORKFLOWS)
def the_files_are_readable_by_their_user_only(own, _):
    for name, mode in ((".reprise", 0o700), (".reprise/live", 0o700),
                       (".reprise/live/web.json", 0o600), (".reprise/live/web.lock", 0o600)):
        seen = stat.S_IMODE(os.stat(own.path(name)).st_mode)
        expect_equal(f"the mode of {name}", oct(seen), oct(mode))


@with_page(WORKFLOWS)
def another_user_of_the_machine_gets_nothing(own, page):
    if os.geteuid() != 0:
        return "needs root"
    os.chmod(own.folder, 0o755)
    request = f"GET /api/runs HTTP/1.1\\r\\nHost: {page.host}\\r\\n\\r\\n"
    script = (f"exec 3<>/dev/tcp/127.0.0.1/{page.port}; printf '{request}' >&3; "
              f"read -r line <&3; echo \"$line\"; cat {own.folder}/.reprise/live/web.json; "
              f"ls {own.folder}/.reprise; tr '\\0' '\\n' < /proc/{page.process.pid}/environ")
    seen = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                           "/bin/bash", "-c", script], capture_output=True, text=True,
                          check=False, cwd="/", timeout=30)
    expect_equal("all that it sees", seen.stdout.strip(), "HTTP/1.1 401 Unauthorized")
    expect_equal("refusals", seen.stderr.count("ermission denied"), 3)
    return None


@with_page(WORKFLOWS, THE_SECRET=SECRET)
def the_token_is_in_no_argument_and_no_log(own, page):
    os.mkdir(own.path("bin"))
    own.write("bin/xdg-open", f"#!/bin/sh\nprintf '%s\\n' \"$@\" >> {own.folder}/opened\n")
    os.chmod(own.path("bin/xdg-open"), 0o755)
    own.environment["PATH"] = f"{own.folder}/bin:{own.environment['PATH']}"
    expect_equal("the second start prints", own.command("web", "--open").strip(), page.url)
    opened = eventually("the browser is opened", lambda: own.read("opened"))
    expect(page.token not in opened, "arguments without the token", opened)
    file = opened.strip()
    expect_equal("the mode of the file", oct(stat.S_IMODE(os.stat(file).st_mode)), "0o600")
    expect(page.url in own.read(os.path.relpath(file, own.folder)), "the address in it", file)
    run = own.run_to_end("quiet", "failed")
    page.change(f"/api/runs/{run}/restart", {})
    for process in processes():
        words = arguments(process)
        expect(not any(page.token.encode() in word for word in words), "no token", words)
    holders = subprocess.run(["grep", "-rl", page.token, f"{own.folder}/.reprise"], check=False,
                             capture_output=True, text=True).stdout.split()
    expect_equal("files with the token", {os.path.basename(path) for path in holders},
                 {"web.json", "web.html"})


@with_page(WORKFLOWS)
def a_second_start_prints_the_same_address(own, page):
    again = own.finished("web")
    expect_equal("the second start prints", (again.stdout.strip(), again.returncode),
                 (page.url, 0))
    expect_equal("the first one still runs", page.process.poll(), None)


def is_refused(own, page_text, process, *words):
    """Whether a start says where the page is served, and how to end it."""
    seen = own.finished("web", *words)
    expect(seen.returncode == 2 and seen.stderr.startswith("error: a page of")
           and page_text in seen.stderr and f"kill {process.pid}\n" in seen.stderr,
           "where the page is, and its end", seen)
    expect_equal("printed", seen.stdout, "")


@with_page(WORKFLOWS)
def a_second_start_elsewhere_is_an_error(own, page):
    path = own.path("page.sock")
    is_refused(own, page.url, page.process, "--listen", f"unix:{path}")
    expect_equal("a socket", os.path.exists(path), False)
    is_refused(own, page.url, page.process, "--port", str(page.port + 1))
    same = own.finished("web", "--port", str(page.port))
    expect_equal("the same port", (same.returncode, same.stdout.strip()), (0, page.url))
    page.process.terminate()
    page.process.wait()
    server = own.start("web", "--listen", "unix:page.sock", output=subprocess.PIPE)
    words = server.stdout.readline().strip()
    expect(words.startswith(f"unix:{path}, then http://localhost:PORT/#token="), "its path", words)
    for more in ((), ("--listen", f"unix:{path}")):
        again = own.finished("web", *more)
        expect_equal(f"the address {more}", (again.returncode, again.stdout.strip()), (0, words))
    is_refused(own, words, server, "--port", "8123")


@with_page(WORKFLOWS)
def a_port_that_is_taken_is_an_error(own, page):
    own.kill_page()
    with socket.create_server(("127.0.0.1", page.port)):
        own.serve()
        refused = own.finished("web", "--port", "70000")
        expect_equal("a wrong port: the exit status", refused.returncode, 2)
        own.page.process.terminate()
        own.page.process.wait()
        refused = own.finished("web", "--port", str(page.port))
        expect(refused.returncode == 2 and str(page.port) in refused.stderr, "an error that names "
               "the port", (refused.returncode, refused.stderr))


@with_page({"long": "name: long\nsteps: [{ id: a, run: 'exec sleep 63.5' }]\n"})
def runs_inherit_nothing_from_the_page(own, page):
    """Else they would keep its port, and could answer for it."""
    run = page.change("/api/runs", {"workflow": "long"})["run"]
    process = own.show(run)["process"]
    expect_equal("addresses of the run", listening(process), set())
    children = [each for each in processes() if b"63.5" in arguments(each)]
    for each in [process, *children]:
        held = [os.readlink(f"/proc/{each}/fd/{name}") for name in os.listdir(f"/proc/{each}/fd")]
        expect(not any("web." in name for name in held), "no file of the page", held)


@check
def a_socket_is_private(reprise):
    with Project(reprise, WORKFLOWS) as own:
        path = own.path("page.sock")
        server = own.start("web", "--listen", f"unix:{path}", output=subprocess.PIPE)
        server.stdout.readline()
        expect_equal("the mode", oct(stat.S_IMODE(os.stat(path).st_mode)), "0o600")
        expect_equal("addresses", listening(server.pid), set())
