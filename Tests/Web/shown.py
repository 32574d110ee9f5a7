# What the page says about runs: of an engine that has died, of failures that are allowed, and so on.

import json
import os
import signal
import time

from browser import with_browser
from changes import sleeping
from project import eventually, expect, expect_equal

WORKFLOWS = {
    "gate": """
name: gate
grace: 2s
steps:
  - { id: go, needs: [], approval: "Ship it?" }
  - { id: slow, needs: [], run: 'exec sleep 61.5' }
  - { id: after, needs: [go, slow], run: 'true' }
""",
    "allowed": """
name: allowed
steps:
  - { id: lint, needs: [], continue-on-error: true, run: 'exit 1' }
  - { id: build, needs: [], run: 'while [ ! -e built ]; do sleep 0.05; done' }
  - { id: test, run: 'while [ ! -e tested ]; do sleep 0.05; done' }
""",
}


@with_browser(WORKFLOWS)
def a_run_whose_engine_is_killed_is_interrupted_everywhere(own, page, browser):
    run = own.run("gate")
    slow = eventually("slow runs", lambda: sleeping(own, "61.5"))
    browser.sees("1 running")
    browser.sees("1 waiting")
    process = next(json.loads(line) for line in own.command("runs", "--json").splitlines())
    os.kill(process["process"], signal.SIGKILL)
    browser.sees("interrupted", "#runs")
    time.sleep(1)
    bar = browser.text("#bar")
    expect("interrupted" in bar and "running" not in bar, "interrupted in the bar", bar)
    for word in ("Pause", "Cancel", "Restart", "Reload"):
        expect(word not in bar, f"no button {word}", bar)
    expect("interrupted" in browser.driver.title, "the title", browser.driver.title)
    nodes = browser.script("""
      return Object.fromEntries([...document.querySelectorAll('#graph .node')].map((node) =>
        [node.getAttribute('aria-label').split(',')[0], node.getAttribute('class')]))""")
    expect("interrupted" in nodes["slow"] and "interrupted" in nodes["go"], "the graph", nodes)
    expect("interrupted" in browser.text("#detail"), "the detail", browser.text("#detail"))
    expect("Cancel" not in browser.text("#detail"), "no Cancel", browser.text("#detail"))
    expect(not browser.text("#banner"), "no question", browser.text("#banner"))
    shown = "return document.querySelector('#clock').innerText + document.querySelector("\
            "'#timeline').innerHTML + document.querySelector('#graph').innerText"
    before = browser.script(shown)
    expect("now" not in browser.text("#timeline"), "no present", browser.text("#timeline"))
    time.sleep(1.2)
    expect_equal("what is drawn a second later", browser.script(shown), before)
    browser.click("#bar button", "Resume")
    browser.sees("generation 2", "#bar")
    browser.sees("running", "#bar")
    for each in slow:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass
    own.command("cancel", run, "--now")
    own.ended(run, "cancelled")


@with_browser(WORKFLOWS)
def a_failure_that_is_allowed_does_not_hide_what_runs(own, page, browser):
    run = own.run("allowed")
    eventually("lint has failed", lambda: own.state(run, "lint") == "failed")
    browser.sees("1 failed")
    browser.sees("build", "#detail h2")
    own.write("built", "")
    browser.sees("test", "#detail h2")
    browser.open("about:blank")
    browser.open(f"{page.origin}/#run={run}")
    browser.sees("test", "#detail h2")
    browser.node("lint")
    browser.sees("lint", "#detail h2")
    own.write("tested", "")
    own.ended(run, "succeeded")
    browser.sees("succeeded", "#bar")
    browser.sees("lint", "#detail h2")
