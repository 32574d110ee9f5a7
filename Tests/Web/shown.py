# What the page says about runs: of an engine that has died, of failures that are allowed.

import json
import os
import signal
import time

from selenium.webdriver import ActionChains

from browser import with_browser
from changes import sleeping
from project import eventually, expect, expect_equal

WORKFLOWS = {
    "pooled": """
name: pooled
pools: { p: 1 }
steps:
  - { id: long, survive: true, pool: p, run: 'touch begun; while [ ! -e go ]; do sleep 0.05; done' }
""",
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
    "named": """
name: named
params: { version: { type: string, required: true } }
steps:
  - id: one
    env: { VERSION: "${{ params.version }}", ARGS: "${{ join(args, ' ') }}" }
    run: 'echo "one $VERSION $ARGS" >> log'
  - { id: two, run: 'echo two >> log' }
""",
    "matrix": """
name: matrix
steps:
  - { id: compile, matrix: { opt: [O0, O2], cc: [cc, clang] }, run: 'echo "$REPRISE_STEP"' }
  - { id: list, run: "echo 'items=[7,8]' >> $REPRISE_OUTPUT" }
  - { id: work, foreach: "${{ fromJSON(steps.list.outputs.items) }}", run: 'true' }
""",
    "twice": """
name: twice
steps:
  - { id: first, run: 'sleep 0.4' }
  - { id: second, run: 'sleep 0.4; test -e ok' }
""",
    "secret": """
name: secret
params: { key: { type: string } }
secrets: { TOKEN: { env: TOKEN_OF_TEST } }
steps: [{ id: one, env: { KEY: "${{ params.key }}", TOKEN: "${{ secrets.TOKEN }}" }, run: exit 1 }]
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
def notices_of_a_run_are_seen(own, page, browser):
    """At once, after a look at the page later, and in the file of the run."""
    run = own.run("pooled")
    eventually("the step runs", lambda: own.exists("begun"))
    process = next(json.loads(line) for line in own.command("runs", "--json").splitlines())
    os.kill(process["process"], signal.SIGKILL)
    browser.sees("interrupted", "#runs")
    # Its place cannot be locked any more.
    place = own.path(".reprise/pools/p/0")
    os.remove(place)
    os.mkdir(place)
    browser.click("#bar button", "Resume")
    notice = 'Notice: step "long" went on without its places in a pool: cannot lock'
    browser.sees(notice, "#banner")
    own.write("go", "")
    own.ended(run, "succeeded")
    browser.sees("succeeded", "#bar")
    browser.driver.refresh()
    browser.sees(notice, "#banner")
    own.command("show", run, "--html", "run.html")
    browser.open(f"file://{own.path('run.html')}")
    browser.sees(notice, "#banner")


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


@with_browser(WORKFLOWS)
def a_run_that_has_succeeded_is_run_again(own, page, browser):
    own.write("folder with a blank.txt", "")
    run = own.run_to_end("named", "succeeded", "-p", "version=1 'a'", "--only", "one", "--",
                         "--verbose")
    browser.sees("succeeded", "#bar")
    expect("Resume" not in browser.text("#bar"), "no Resume", browser.text("#bar"))
    browser.press("p")
    browser.sees("r runs it again", "#said")
    browser.click("#bar button", "Run again")
    browser.sees("Run named again with version = 1 'a'?", "#ask")
    browser.click("#ask button.primary")
    second = eventually("another run", lambda: next(iter(own.ids() - {run}), None))
    own.ended(second, "succeeded")
    browser.sees(second, "#bar")
    expect_equal("what ran", own.read("log"), "one 1 'a' --verbose\n" * 2)
    expect_equal("the first run", own.show(run)["generation"], 1)
    browser.sees("Run again", "#bar")
    browser.press("r")
    browser.confirm("Run named again")
    eventually("a third run", lambda: len(own.ids()) == 3)


@with_browser(WORKFLOWS, TOKEN_OF_TEST="s3cret-words")
def no_button_is_always_refused(own, page, browser):
    """A secret parameter is not recorded, so that its run can neither be resumed nor repeated."""
    own.run_to_end("secret", "failed", "-p", "key=s3cret-words")
    browser.sees("failed", "#bar")
    for part in ("#bar", "#detail"):
        for word in ("Resume", "Restart", "again"):
            expect(word not in browser.text(part), f"no {word}", browser.text(part))
    browser.press("r")
    browser.sees("not enough", "#said")


@with_browser(WORKFLOWS)
def items_have_their_labels_everywhere(own, page, browser):
    own.run_to_end("matrix", "succeeded")
    run = own.run_to_end("matrix", "succeeded")
    browser.click("#runs .run", run)
    browser.sees("succeeded", "#bar")
    for label in ("compile (O2, cc)", "work (8)"):
        browser.sees(label, "#timeline")
    browser.click('#graph .node[aria-label^="compile,"]')
    browser.node("compile (O2")
    browser.sees("compile (O2, cc)", "#detail h2")
    browser.sees("compile[2]", "#detail")
    expect_equal("the name of the log", browser.script(
        "return document.getElementById('log').ariaLabel"), "Output of compile (O2, cc)")
    browser.press("R")
    browser.sees("from compile (O2, cc)?", "#ask")
    browser.press("n")
    for view in ("table", "compare"):
        browser.click(f"[data-view={view}]")
        browser.sees("compile (O2, cc)", "#other")
        browser.sees("work (8)", "#other")
        expect("[" not in browser.text("#other"), "no numbers of items", browser.text("#other"))


@with_browser(WORKFLOWS)
def pauses_between_generations_are_cut_out_of_the_timeline(own, page, browser):
    run = own.run_to_end("twice", "failed")
    time.sleep(5)
    own.write("ok", "")
    own.command("resume", run, "--progress", "none")
    browser.sees("generation 2", "#bar")
    browser.sees("succeeded", "#bar")
    eventually("the cut", lambda: browser.elements("#timeline .restart.cut"))
    browser.sees("s after", "#timeline")
    widths = browser.script("""
      const width = document.querySelector('#timeline').clientWidth;
      return [...document.querySelectorAll('#timeline .bar')].map((bar) =>
        bar.getBoundingClientRect().width / width)""")
    # Three bars of 0.4 s; beside the pause of five seconds they would be less than a tenth each.
    expect(len(widths) == 3 and min(widths) > 0.13, "wide bars", widths)


@with_browser(WORKFLOWS)
def the_timeline_is_zoomed_by_dragging(own, page, browser):
    own.write("ok", "")
    run = own.run_to_end("twice", "succeeded")
    browser.sees(run, "#bar")
    browser.sees("second", "#timeline")
    bars = """return [...document.querySelectorAll('#timeline .bar')].map((bar) =>
        bar.getBoundingClientRect().width)"""
    eventually("bars", lambda: len(browser.script(bars)) == 2)
    browser.sees("succeeded", "#detail h2")

    def is_settled():
        """The bars still grow while the last events arrive."""
        widths = browser.script(bars)
        time.sleep(1)
        return browser.script(bars) == widths
    eventually("bars that do not grow", is_settled)
    before = browser.script(bars)
    chosen = browser.text("#detail h2")
    box = browser.script("""
      const { left, top, width } = document.getElementById('timeline').getBoundingClientRect();
      return { left, top, width };""")
    for ending in ("escape", "double click", "button"):
        actions = ActionChains(browser.driver)
        actions.w3c_actions.pointer_action.move_to_location(
            int(box["left"] + box["width"] * 0.4), int(box["top"] + 55)).pointer_down()
        actions.w3c_actions.pointer_action.move_to_location(
            int(box["left"] + box["width"] * 0.6), int(box["top"] + 60)).pointer_up()
        actions.perform()
        browser.sees("Whole run", "#timeline")
        eventually("wider bars", lambda: browser.script(bars)[1] > 2 * before[1])
        browser.sees("first", "#timeline")
        expect_equal("the chosen step", browser.text("#detail h2"), chosen)
        if ending == "escape":
            browser.press("escape")
        elif ending == "button":
            browser.click("#timeline .whole")
        else:
            ActionChains(browser.driver).double_click(
                browser.elements("#timeline svg .scale")[0]).perform()
        eventually("all of it again", lambda: browser.script(bars) == before)


@with_browser({"mixed": """
name: mixed
steps:
  - { id: docs, needs: [], continue-on-error: true, run: exit 2 }
  - { id: slow, needs: [], run: 'test -e fixed || sleep 0.4' }
  - { id: check, needs: [], run: 'test -e fixed' }
"""})
def failures_after_which_the_run_continues_look_different(own, page, browser):
    """And a comparison begins with the steps that have another state."""
    own.write("fixed", "")
    own.run_to_end("mixed", "succeeded")
    os.remove(own.path("fixed"))
    run = own.run_to_end("mixed", "failed")
    browser.click("#runs .run", run)
    browser.sees(run, "#bar")
    nodes = """return [...document.querySelectorAll('#graph .node.failed')].map((node) =>
      [node.ariaLabel.split(',')[0], node.classList.contains('tolerated')])"""
    eventually("both", lambda: sorted(browser.script(nodes)) == [["check", False], ["docs", True]])
    browser.sees("the run continues", "#timeline")
    browser.node("docs")
    browser.sees("exited with status 2; the run continues", "#detail .facts")
    browser.click("[data-view=compare]")
    browser.sees("check", "#other")
    browser.drawn()
    rows = [row.text.split()[0] for row in browser.elements("#other tbody tr")]
    expect_equal("rows", rows, ["check", "slow", "docs"])
    browser.sees("other state", "#other tbody tr:nth-child(1)")
