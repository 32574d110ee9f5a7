# The page in a browser, driven by clicks and keys: what they do to runs, files and processes.

import http.server
import re
import threading
import time

from browser import Browser, with_browser
from changes import sleeping
from project import Project, check, eventually, expect, expect_equal

SHIP = """
name: ship
params: { version: { type: string, required: true }, place: { type: choice, options: [here, there], default: here } }
steps:
  - { id: fetch, run: 'echo fetch >> log' }
  - { id: work, foreach: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o], run: 'sleep 0.05' }
  - { id: check, run: 'sh check.sh' }
  - { id: pack, run: 'echo pack >> log' }
  - { id: test, run: 'echo test >> log' }
  - { id: upload, run: 'echo upload >> log' }
"""
GATE = """
name: gate
grace: 2s
steps:
  - { id: go, needs: [], approval: "Ship <b>it</b>?" }
  - { id: slow, needs: [], run: 'echo begun >> log; exec sleep 61.5' }
  - { id: other, needs: [], run: 'exec sleep 62.5' }
  - { id: after, needs: [go], run: 'echo after >> log' }
  - { id: then, needs: [slow], run: 'echo then >> log' }
"""
LINES = """
name: lines
steps: [{ id: many, run: "seq 1 60000; echo the Needle; seq 60001 90000; echo last" }]
"""
NAMED = """
name: named
steps: [{ id: b, name: Build it, run: exit 1 }, { id: after, run: 'true' }]
"""
WORKFLOWS = {"ship": SHIP, "gate": GATE, "lines": LINES, "named": NAMED}


def open_gate(own, browser):
    """Starts `gate`, and waits until the page shows that all its steps run or wait."""
    run = own.run("gate")
    eventually("slow runs", lambda: sleeping(own, "61.5"))
    eventually("other runs", lambda: sleeping(own, "62.5"))
    browser.sees("2 running")
    browser.sees("1 waiting")
    return run


@with_browser(WORKFLOWS)
def a_run_that_fails_is_read_repaired_and_restarted(own, page, browser):
    """The page shows each state that `reprise show` has; asserted on files and events."""
    own.write("check.sh", "echo checking; echo 'error: no signature' >&2; exit 3\n")
    browser.sees("Choose a run")
    began = time.monotonic()
    run = own.run("ship", "-p", "version=7")
    browser.sees(run, "#bar")
    lives = time.monotonic() - began
    expect(lives < 5, "a live page within 5 s", lives)
    # The first failure is shown without a click, and why.
    browser.sees("error: no signature", "#log")
    browser.sees("exited with status 3", "#detail")
    own.ended(run, "failed")
    browser.sees("failed", "#bar")
    browser.keep("failed-run")
    own.write("check.sh", "echo checked\n")
    browser.node("check")
    browser.press("R")
    browser.confirm("Restart 4 steps from check?")
    own.ended(run, "succeeded")
    browser.sees("succeeded", "#bar")
    browser.sees("generation 2", "#bar")
    expect_equal("what ran", own.read("log").split(), ["fetch", "pack", "test", "upload"])
    browser.sees("checked", "#log")
    states = browser.script("""
      return Object.fromEntries([...document.querySelectorAll('#graph .node')].map((node) =>
        [node.getAttribute('aria-label').split(',')[0], node.getAttribute('class')]))""")
    for step in own.show(run)["steps"]:
        if "[" not in step["step"]:
            expect_equal(f"the page shows {step['step']}", states[step["step"]].split()[1],
                         step["state"])
    expect("×15" in browser.text("#graph"), "a group of 15", browser.text("#graph"))
    return f"live after {lives:.1f} s"


@with_browser(WORKFLOWS)
def a_step_that_is_not_run_says_why_with_a_name(own, page, browser):
    """In the words of the terminal, wherever the step is shown."""
    runs = [own.run_to_end("named", "failed") for _ in range(2)]
    shown = own.command("show", runs[1])
    expect(re.search(r"(?m)^after +not run +Build it failed$", shown), "the words", shown)
    browser.click("#runs .run", runs[1])
    browser.sees(runs[1], "#bar")
    browser.sees("1 failed", ".legend")
    browser.sees("1 not run", ".legend")
    browser.node("after")
    browser.sees("not run: Build it failed", "#timeline")
    browser.sees("not run", "#detail .pill")
    browser.sees("Build it failed", "#detail .facts")
    browser.sees("(not run)", "#log")
    label = browser.script("return document.querySelector('#graph .node.not-run').ariaLabel")
    expect_equal("the node", label, "after, step, not run: Build it failed")
    browser.sees("not run", "#graph")
    seen = browser.text()
    browser.click("[data-view=table]")
    eventually("the table", lambda: browser.elements(
        f'#other button[aria-label="after in {runs[0]}: not run"]'))
    browser.click("[data-view=compare]")
    browser.sees("not run", "#other")
    for text in (seen, browser.text()):
        text = text.replace("cancelled\n", "")  # the choice of a status
        expect("cancelled" not in text, "not cancelled", text)


@with_browser(WORKFLOWS)
def a_live_run_is_restarted_by_a_click(own, page, browser):
    run = open_gate(own, browser)
    before = sleeping(own, "61.5") + sleeping(own, "62.5")
    browser.click("#bar button", "Restart")
    browser.confirm("Restart all 5 steps?")
    browser.sees("generation 2", "#bar")
    eventually("it runs again", lambda: own.read("log").count("begun") == 2)
    for process in before:
        eventually("old processes are gone",
                   lambda: process not in sleeping(own, "61.5") + sleeping(own, "62.5"))
    expect_equal("requested by", own.show(run)["generations"][-1]["by"]["name"], "reprise web")


@with_browser(WORKFLOWS)
def a_live_run_is_restarted_from_a_step(own, page, browser):
    run = open_gate(own, browser)
    kept = sleeping(own, "62.5")
    browser.node("slow")
    browser.press("R")
    browser.confirm("Restart 2 steps from slow?")
    eventually("it runs again", lambda: own.read("log").count("begun") == 2)
    browser.sees("generation 2", "#bar")
    expect_equal("the process of the other step", sleeping(own, "62.5"), kept)
    expect_equal("from", own.show(run)["generations"][-1]["from"], ["slow"])


@with_browser(WORKFLOWS)
def a_no_changes_nothing(own, page, browser):
    run = open_gate(own, browser)
    before = own.recorded(run)
    for key, question in (("r", "Restart all 5 steps?"), ("R", "from"), ("c", "Cancel the run?")):
        browser.press(key)
        browser.sees(question, "#ask")
        browser.press("n")
    browser.press("c")
    browser.sees("Cancel the run?", "#ask")
    browser.press("escape")
    # Text that is pasted into the page by mistake asks at most, and answers no.
    browser.press(*"rm -rf n")
    expect_equal("events", own.recorded(run), before)


@with_browser(WORKFLOWS)
def a_step_is_cancelled_alone(own, page, browser):
    run = open_gate(own, browser)
    browser.node("slow")
    browser.press("C")
    browser.confirm("Cancel slow?")
    eventually("slow is over", lambda: own.state(run, "slow") == "cancelled")
    expect_equal("processes", (len(sleeping(own, "61.5")), len(sleeping(own, "62.5"))), (0, 1))
    browser.sees("cancelled", "#detail")
    browser.press("C")
    browser.sees("slow is not running", "#said")


@with_browser(WORKFLOWS)
def a_run_is_cancelled(own, page, browser):
    run = open_gate(own, browser)
    browser.press("c")
    browser.confirm("Cancel the run?")
    own.ended(run, "cancelled")
    browser.sees("cancelled", "#bar")
    expect_equal("processes", sleeping(own, "61.5") + sleeping(own, "62.5"), [])
    expect("Cancel" not in browser.text("#bar"), "no button for an ended run", browser.text("#bar"))


@with_browser(WORKFLOWS)
def an_approval_is_answered_in_the_banner(own, page, browser):
    run = open_gate(own, browser)
    browser.sees("Ship <b>it</b>?", "#banner")
    browser.keep("approval")
    browser.click("#banner button.yes")
    browser.sees("Approve go?", "#ask")
    browser.click("#ask input")
    browser.press(*"ticket 12")
    browser.click("#ask button.primary")
    eventually("after has run", lambda: own.state(run, "after") == "succeeded")
    approval = own.show(run)["generations"][0]["approvals"][0]
    expect_equal("the comment", approval["by"]["comment"], "ticket 12")
    eventually("the banner is gone", lambda: not browser.text("#banner"))


@with_browser(WORKFLOWS)
def an_approval_is_rejected_by_its_key(own, page, browser):
    run = open_gate(own, browser)
    browser.press("x")
    browser.sees("Reject go?", "#ask")
    browser.click("#ask button.primary")
    eventually("go has failed", lambda: own.state(run, "go") == "failed")
    expect_equal("the reason", own.step(run, "go")["reason"]["kind"], "rejected")


@with_browser(WORKFLOWS)
def a_run_is_paused_and_continued(own, page, browser):
    run = open_gate(own, browser)
    browser.press("p")
    browser.sees("paused", "#bar")
    browser.press("a")
    browser.sees("Approve go?", "#ask")
    browser.click("#ask button.primary")
    eventually("the answer is recorded", lambda: "answer" in own.show(run)[
        "generations"][0]["approvals"][0])
    expect_equal("after", own.read("log").count("after"), 0)
    browser.click("#bar button", "Continue")
    eventually("after has run", lambda: own.state(run, "after") == "succeeded")


@with_browser(WORKFLOWS)
def an_edited_file_is_reloaded(own, page, browser):
    run = open_gate(own, browser)
    own.write("workflows/gate.yaml", GATE + "  - { id: new, needs: [], run: 'echo new >> log' }\n")
    kept = sleeping(own, "62.5")
    browser.press("u")
    browser.confirm("Do it?")
    eventually("new has run", lambda: "new" in own.read("log"))
    eventually("the graph has it", lambda: browser.elements('#graph .node[aria-label^="new,"]'))
    expect_equal("the process of a step that is the same", sleeping(own, "62.5"), kept)
    own.write("workflows/gate.yaml", "name: gate\nsteps: [{ id: a, rum: x }]\n")
    browser.press("u")
    browser.sees("rum", "#said")
    expect_equal("it still runs", sleeping(own, "62.5"), kept)
    expect_equal("the run", own.show(run)["status"], "running")
    browser.errors()  # the refusal is a failed request


@with_browser(WORKFLOWS)
def a_run_is_started_with_the_form(own, page, browser):
    own.write("check.sh", "true\n")
    browser.click("#runs button", "Start…")
    browser.script("""
      const choice = document.querySelector('.sheet select');
      choice.value = 'ship';
      choice.dispatchEvent(new Event('change'));""")
    browser.click('.sheet button[type="submit"]')
    expect_equal("runs without the required parameter", own.ids(), set())
    browser.click('.sheet input[name="version"]')
    browser.press(*"$(touch x) '7")
    browser.script("document.querySelector('.sheet [name=place]').value = 'there'")
    browser.press("enter")
    run = eventually("a run", lambda: next(iter(own.ids()), None))
    own.ended(run, "succeeded")
    expect_equal("params", page.read(f"/api/runs/{run}")["params"],
                 {"version": "$(touch x) '7", "place": "there"})
    browser.sees(run, "#bar")
    expect_equal("a file from a parameter", own.exists("x"), False)


@with_browser(WORKFLOWS)
def links_and_the_back_button_lead_back(own, page, browser):
    own.write("check.sh", "true\n")
    first = own.run_to_end("ship", "succeeded", "-p", "version=1")
    second = own.run_to_end("lines", "succeeded")
    browser.click("#runs .run", second)
    browser.sees("lines", "#bar")
    browser.click("#runs .run", first)
    browser.sees("ship", "#bar")
    browser.node("pack")
    expect(f"run={first}&step=pack" in browser.address(), "a link to the step", browser.address())
    browser.driver.back()
    browser.driver.back()
    browser.sees("lines", "#bar")
    browser.driver.forward()
    browser.sees("ship", "#bar")
    link = f"{page.origin}/#run={second}&step=many&line=100000"
    with Browser() as other:
        other.open(page.url)
        eventually("the session", lambda: other.script(
            "return document.getElementById('live') !== null"))
        other.open(link)
        eventually("the line is marked", lambda: other.script(
            "return document.querySelector('#log .here')?.dataset.at") == "100000" or other.script(
            "return document.querySelectorAll('#log .line').length > 10"))
        expect("token" not in other.address(), "no token in the address", other.address())
    browser.click("[data-view=source]")
    browser.sees("id: pack", "#other")
    expect("view=source" in browser.address(), "a link to the view", browser.address())
    browser.click("[data-view=table]")
    browser.sees("upload", "#other")
    browser.click("[data-view=compare]")
    browser.sees("There is no other run", "#other")


@with_browser(WORKFLOWS)
def a_log_is_searched_on_the_server(own, page, browser):
    run = own.run_to_end("lines", "succeeded")
    browser.sees(run, "#bar")
    browser.sees("last", "#log")
    expect(browser.script("return document.querySelectorAll('#log .line').length") < 40000,
           "a window of the log", "the whole of it")
    browser.press("/", *"needle", "enter")
    browser.sees("the Needle", "#log")
    browser.sees("1 of 1", "#detail")
    eventually("it is marked", lambda: browser.script(
        "return document.querySelector('#log .here mark')?.textContent") == "Needle")
    browser.press("escape")
    browser.script("document.getElementById('log').focus()")
    browser.press("g")
    browser.sees("1\n", "#log")
    eventually("the first line", lambda: browser.script(
        "return document.querySelector('#log .line')?.dataset.at") == "0")


@with_browser(WORKFLOWS)
def the_keys_are_those_of_the_terminal(own, page, browser):
    browser.press("?")
    for row in page.read("/api/project")["keys"]:
        browser.sees(row["help"], ".sheet")
    browser.keep("keys")
    browser.press("escape")
    eventually("it is closed", lambda: not browser.elements(".sheet"))


@with_browser(WORKFLOWS)
def a_killed_server_is_found_again(own, page, browser):
    """The page says that it has no connection; when it has a session again, nothing is missing."""
    run = open_gate(own, browser)
    own.kill_page()
    browser.sees("no connection since", "#foot")
    own.command("approve", run, "go")
    eventually("after has run", lambda: own.state(run, "after") == "succeeded")
    own.command("restart", run, "--from", "slow")
    eventually("slow runs again", lambda: own.read("log").count("begun") == 2)
    expect("generation 2" not in browser.text("#bar"), "the last known state", "a new one")
    again = own.serve(port=page.port)
    browser.sees("the session has ended", "#foot", within=60)
    shown = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.open(again.url)
    browser.sees("live ·", "#foot")
    browser.driver.switch_to.window(shown)
    browser.sees("live ·", "#foot")
    browser.sees("generation 2", "#bar")
    browser.sees("2 succeeded", "#upper")
    browser.node("slow")
    browser.press("C")
    browser.confirm("Cancel slow?")
    eventually("slow is over", lambda: own.state(run, "slow") == "cancelled")


@with_browser(WORKFLOWS)
def tabs_share_one_stream(own, page, browser):
    """More tabs than the six connections that browsers allow to a host."""
    run = open_gate(own, browser)
    for _ in range(8):
        browser.driver.switch_to.new_window("tab")
        browser.open(f"{page.origin}/#run={run}&step=slow")
        browser.sees("2 running", within=20)
    browser.press("c")
    browser.confirm("Cancel the run?")
    for handle in browser.driver.window_handles:
        browser.driver.switch_to.window(handle)
        browser.sees("cancelled", "#bar")


@check
def a_name_that_points_to_this_machine_gets_nothing(reprise):
    """DNS rebinding: the browser believes that evil.test is at 127.0.0.1."""
    with Project(reprise, WORKFLOWS) as own:
        page = own.serve()
        page.session()
        with Browser("--host-resolver-rules=MAP evil.test 127.0.0.1") as browser:
            browser.open(page.url)
            browser.sees("Choose a run")
            for path in ("", f"/#token={page.token}", "/api/runs", "/app.js"):
                browser.open(f"http://evil.test:{page.port}{path}")
                browser.sees("error", "body")
                expect("Runs" not in browser.text(), "no page", browser.text())
            statuses = browser.driver.execute_async_script("""
              const done = arguments[0];
              Promise.all(['GET', 'POST'].map((method) => fetch('/api/session', { method,
                headers: { 'X-Reprise': '1', 'Content-Type': 'application/json' } })
                .then((answer) => answer.status))).then(done);""")
            expect_equal("statuses", statuses, [421, 421])
        expect_equal("runs", own.ids(), set())


FOREIGN = """<!DOCTYPE html><meta charset=utf-8><title>foreign</title><body><script>
async function attack(origin, run) {
  const seen = [];
  const attempt = async (name, act) => {
    try { seen.push([name, await act()]); } catch (error) { seen.push([name, 'refused']); }
  };
  const json = { 'Content-Type': 'application/json', 'X-Reprise': '1' };
  await attempt('read', () => fetch(origin + '/api/runs', { credentials: 'include' })
    .then((answer) => answer.text()));
  await attempt('cancel', () => fetch(`${origin}/api/runs/${run}/cancel`, { method: 'POST',
    credentials: 'include', headers: json, body: '{}' }).then((answer) => answer.status));
  await attempt('simple', () => fetch(`${origin}/api/runs/${run}/cancel`, { method: 'POST',
    mode: 'no-cors', credentials: 'include', body: '{}' }).then((answer) => answer.type));
  await attempt('stream', () => new Promise((resolve, reject) => {
    const source = new EventSource(origin + '/api/events', { withCredentials: true });
    source.onmessage = source.onopen = () => resolve('open');
    source.onerror = reject;
  }));
  await attempt('script', () => new Promise((resolve, reject) => {
    const script = document.createElement('script');
    Object.assign(script, { src: origin + '/api/runs', onload: () => resolve('loaded'),
      onerror: reject });
    document.body.append(script);
  }));
  const frame = document.createElement('iframe');
  frame.src = origin + '/';
  document.body.append(frame);
  const form = document.createElement('form');
  Object.assign(form, { method: 'POST', action: `${origin}/api/runs/${run}/cancel`,
    enctype: 'text/plain', target: 'other' });
  const target = document.createElement('iframe');
  target.name = 'other';
  document.body.append(form, target);
  form.submit();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return seen;
}
</script>"""


def browser_session(page, browser):
    """The session that a browser keeps for a page."""
    browser.open(page.origin)
    return browser.script("return localStorage.getItem('session')")


@with_browser(WORKFLOWS)
def pages_of_other_sites_get_nothing(own, page, browser):
    """A page at another port of the same name, in a browser that has the session."""
    class Handler(http.server.BaseHTTPRequestHandler):
        """Serves the foreign page."""

        def do_GET(self):
            received.append(str(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FOREIGN.encode())

        def log_message(self, *_):
            pass

    run, received = open_gate(own, browser), []
    before = own.recorded(run)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as foreign:
        threading.Thread(target=foreign.serve_forever, daemon=True).start()
        browser.open(f"http://127.0.0.1:{foreign.server_port}/")
        seen = dict(browser.driver.execute_async_script(
            "attack(arguments[0], arguments[1]).then(arguments[2])", page.origin, run))
        foreign.shutdown()
    for what in ("read", "cancel", "stream", "script"):
        expect_equal(f"the attempt to {what}", seen[what], "refused")
    key = browser_session(page, browser)
    expect(received and not any(key in fields or "Cookie" in fields for fields in received),
           "no session for the other port", received)
    expect_equal("events", own.recorded(run), before)
    expect_equal("it still runs", len(sleeping(own, "61.5")), 1)
    browser.errors()  # the refusals
