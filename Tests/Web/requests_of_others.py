# Requests of other sites and of broken clients: what changes something comes from the page only.

import json

from page import status_of
from project import expect, expect_equal, with_page

WORKFLOWS = {"one": "name: one\nsteps: [{ id: a, run: 'echo x >> log' }]\n"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
          "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'")
FIELDS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
}
START = json.dumps({"workflow": "one"})


def start_with(page, body=START, **fields):
    return page.request("POST", "/api/runs", body, page.change_fields(**fields))


@with_page(WORKFLOWS)
def a_change_needs_the_session(own, page):
    expect_equal("the status", start_with(page, key="0" * 64).status, 401)
    expect_equal("runs", own.ids(), set())


@with_page(WORKFLOWS)
def a_change_needs_the_origin_of_the_page(own, page):
    for origin in (None, "null", "", "http://evil.test", f"https://{page.host}",
                   f"http://localhost:{page.port}", f"http://127.0.0.1:{page.port + 1}",
                   f"http://{page.host}/", f"http://{page.host}.evil.test", "http://127.0.0.1"):
        expect_equal(f"for {origin!r} the status", start_with(page, origin=origin).status, 403)
    twice = page.head("POST /api/runs HTTP/1.1", f"Origin: {page.origin}",
                      "Origin: http://evil.test", "X-Reprise: 1",
                      "Content-Type: application/json", f"Content-Length: {len(START)}") + START
    expect_equal("for two of them", status_of(page.raw(twice)), 403)
    expect_equal("runs", own.ids(), set())


@with_page(WORKFLOWS)
def a_change_needs_the_field_of_the_page(own, page):
    expect_equal("without it, the status", start_with(page, key=None).status, 403)
    for value in ("", "0", "true", f"{page.key}, {page.key}"):
        expect_equal(f"for {value!r} the status", start_with(page, key=value).status, 401)
    expect_equal("runs", own.ids(), set())


@with_page(WORKFLOWS)
def a_change_is_json(own, page):
    for kind in (None, "", "text/plain", "application/x-www-form-urlencoded",
                 "multipart/form-data; boundary=x", "text/plain; application/json",
                 "application/jsonp"):
        expect_equal(f"for {kind!r} the status", start_with(page, type=kind).status, 415)
    for body in ("", "x", "[]", "null", '{"workflow":7}', '{"workflow":"one","params":[1]}',
                 "[" * 30000, '{"workflow":"\\ud800"}', b"\xff\xfe{}"):
        status = start_with(page, body=body).status
        expect_equal(f"for {body[:20]!r} the status", status, 400)
    expect_equal("runs", own.ids(), set())


@with_page(WORKFLOWS)
def a_change_is_a_post(own, page):
    for method in ("GET", "HEAD"):
        answer = page.request(method, f"/api/session?token={page.token}",
                              fields={"X-Reprise": page.key})
        expect(answer.status == 404 and answer.field("Set-Cookie") is None, "404", answer)
    run = own.run_to_end("one", "succeeded")
    for what in ("restart", "cancel", "approve", "set", "pause", "unpause"):
        answer = page.get(f"/api/runs/{run}/{what}")
        expect_equal(f"GET {what}: the status", answer.status, 404)
    expect_equal("generations", len(own.show(run)["generations"]), 1)


@with_page(WORKFLOWS)
def other_methods_get_405_and_no_permission(_, page):
    for method in ("OPTIONS", "PUT", "DELETE", "TRACE", "PATCH", "PROPFIND"):
        for path in ("/", "/api/runs", "/api/events"):
            fields = {**page.change_fields(origin="http://evil.test"),
                      "Access-Control-Request-Method": "POST",
                      "Access-Control-Request-Headers": "x-reprise",
                      "Access-Control-Request-Private-Network": "true"}
            answer = page.request(method, path, fields=fields)
            expect_equal(f"{method} {path}: the status", answer.status, 405)
            names = [name.lower() for name, _ in answer.fields]
            expect(not any(name.startswith("access-control") for name in names), "no CORS", names)
            expect(page.key not in answer.body.decode(), "nothing echoed", answer)


@with_page(WORKFLOWS)
def requests_that_browsers_mark_as_foreign_are_refused(_, page):
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200),
                         ("none", 200)):
        fields = {"X-Reprise": page.key, "Sec-Fetch-Site": site}
        for path in ("/api/runs", "/api/project"):
            seen = page.request("GET", path, fields=fields).status
            expect_equal(f"{path} for {site}: the status", seen, status)


@with_page(WORKFLOWS)
def every_answer_has_the_fields(own, page):
    run = own.run_to_end("one", "succeeded")
    requests = [("GET", path, 200) for path in (
        "/", "/app.js", "/style.css", "/icon.svg", "/api/project", "/api/runs", "/api/workflows",
        f"/api/runs/{run}", f"/api/runs/{run}/source")]
    requests += [("GET", "/nothing", 404), ("GET", "/api/nothing", 404), ("POST", "/", 403),
                 ("GET", "/api/runs/none", 404), ("GET", "/..", 400), ("GET", "/%zz", 400),
                 ("PUT", "/", 405), ("GET", "/api/runs?limit=x", 400), ("HEAD", "/", 200)]
    answers = [(path, status, page.request(method, path, fields={"X-Reprise": page.key}))
               for method, path, status in requests]
    answers += [
        ("no session", 401, page.request("GET", "/api/runs")),
        ("wrong host", 421, page.request("GET", "/", fields={"Host": "evil.test"})),
        ("no JSON", 415, start_with(page, type="text/plain")),
        ("long body", 413, start_with(page, body="x" * 70000)),
        ("refused", 409, start_with(page, body='{"workflow":"two"}')),
        ("wrong token", 403, page.session("0" * 64)), ("token", 200, page.session()),
    ]
    for what, status, answer in answers:
        expect_equal(f"{what}: the status", answer.status, status)
        for name, value in FIELDS.items():
            expect_equal(f"{what}: {name}", answer.field(name), value)
        names = [name.lower() for name, _ in answer.fields]
        expect(not any(name.startswith("access-control") for name in names), "no CORS", names)
        expect("server" not in names, "no name of the server", names)
    stream = page.raw(page.head("GET /api/events HTTP/1.1"), patience=0.5).decode()
    for name, value in FIELDS.items():
        expect(f"{name}: {value}\r\n" in stream, f"{name} of the stream", stream[:800])


@with_page(WORKFLOWS)
def no_path_leads_to_files(own, page):
    own.write("private.txt", "do not serve")
    run = own.run_to_end("one", "succeeded")
    up = ["..", "%2e%2e", "%2E.", "..%2f..", "..%5c..", "%252e%252e", "....", "..;", ".%00."]
    for part in up:
        for tail in ("private.txt", "etc/passwd", "live/web.json"):
            for start in ("", "/api/runs", f"/api/runs/{run}/steps"):
                path = f"{start}/{part}/{part}/{part}/{tail}"
                answer = page.get(path)
                expect(answer.status in (400, 404), f"400 or 404 for {path}", answer)
    steps = ["..", "%2e%2e%2f%2e%2e%2flive%2fweb.json", "..%2fevents", "%2fetc%2fpasswd", "a%2f..",
             "a%5c..", "%00", "a%0a", "*", "%2a", "a?", "x" * 5000]
    for step in steps:
        answer = page.get(f"/api/runs/{run}/steps/{step}/log")
        expect(answer.status in (400, 404), f"400 or 404 for step {step}", answer)
    for name in ("../../etc/passwd", "/etc/passwd", "-h", "--help", "--state-dir=/tmp", "", "\0",
                 "private.txt", "one\0", "x" * 5000):
        answer = page.post("/api/runs", {"workflow": name})
        expect(answer.status in (400, 409), f"400 or 409 for workflow {name[:30]!r}", answer)
        expect(b"do not serve" not in answer.body and b"root:" not in answer.body,
               f"nothing of the file {name[:30]!r}", answer)
    expect_equal("runs", own.ids(), {run})


HOSTILE = """
name: "<b>&\\"'</b>"
steps:
  - id: print
    run: |
      echo '<script>alert(1)</script>'; printf '\\033]0;title\\007\\033[31mred\\n'
      printf 'a\\342\\200\\256b\\n\\377\\376\\n'; echo 'v=</script><!--' >> $REPRISE_OUTPUT
"""


@with_page({"hostile": HOSTILE})
def hostile_names_and_outputs_are_json_text(own, page):
    run = own.run_to_end("hostile", "succeeded")
    for path in ("/api/runs", f"/api/runs/{run}", f"/api/runs/{run}/steps/print/log",
                 f"/api/runs/{run}/source", "/api/workflows", "/api/table"):
        answer = page.get(path)
        expect_equal(f"{path}: the type", answer.field("Content-Type"), "application/json")
        answer.body.decode("utf-8")
    texts = [line["text"] for line in page.read(f"/api/runs/{run}/steps/print/log")["lines"]]
    expect_equal("the output", texts[0], "<script>alert(1)</script>")
    expect(texts[1].endswith("\x1b[31mred"), "escape sequences are text", texts)
    expect_equal("bidirectional text", texts[2], "a\u202eb")
    expect("\ufffd" in texts[3], "invalid bytes are replaced", texts)
    expect_equal("outputs", page.read(f"/api/runs/{run}")["steps"][0]["outputs"],
                 {"v": "</script><!--"})
    for word in ("%3Cscript%3E", "%0d%0aX-Injected:%201"):
        answer = page.get(f"/api/runs/{word}")
        expect(answer.status == 404 and answer.field("X-Injected") is None, "404", answer)
        expect_equal("the type", answer.field("Content-Type"), "application/json")
