# The graph: it opens readable, follows the chosen step, and folds what is equal.

from browser import with_browser
from load import LARGE, STEPS
from project import eventually, expect, expect_equal

RELEASE = """
name: release
steps:
  - { id: fetch, run: 'true' }
  - { id: configure, run: 'true' }
  - { id: compile-core, needs: [configure], run: 'true' }
  - { id: compile-server, needs: [configure], run: 'true' }
  - { id: compile-client, needs: [configure], run: 'true' }
  - { id: docs, needs: [fetch], run: 'true' }
  - { id: unit-tests, needs: [compile-core, compile-server, compile-client], run: 'true' }
  - { id: integration, needs: [compile-server, compile-client], run: 'true' }
  - { id: lint, needs: [configure], run: 'true' }
  - { id: coverage, needs: [unit-tests], run: 'true' }
  - { id: package-deb, needs: [unit-tests, integration], run: 'true' }
  - { id: package-rpm, needs: [unit-tests, integration], run: 'true' }
  - { id: package-tar, needs: [unit-tests, integration], run: 'true' }
  - { id: sign, needs: [package-deb, package-rpm, package-tar], run: 'true' }
  - { id: stage, needs: [sign], run: 'true' }
  - { id: smoke-test, needs: [stage], run: 'true' }
  - { id: upload, needs: [smoke-test], run: 'true' }
  - { id: announce, needs: [upload, docs], run: 'true' }
finally:
  - { id: cleanup, run: 'true' }
"""


def chain(count, failing=None):
    """Steps one after the other, of which one may fail."""
    return "name: chain\nsteps:\n" + "".join(
        f"  - {{ id: step-{number}, run: {'exit 1' if number == failing else 'echo'} }}\n"
        for number in range(count))


FAN = ("name: fan\nsteps:\n  - { id: setup, run: 'true' }\n  - parallel:\n"
       + "".join(f"      - {{ id: test-{name}, run: 'true' }}\n" for name in range(20))
       + "  - { id: report, run: 'true' }\n")
MANY = "name: many\nmax-parallel: 16\nsteps:\n" + "".join(
    f"  - {{ id: s-{stage}-{row}, needs: [{f's-{stage - 1}-{row}' if stage else ''}],"
    " run: 'true' }\n" for stage in range(25) for row in range(12))
EACH = """
name: each
steps: [{ id: work, foreach: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o], run: 'true' }]
"""
WORKFLOWS = {"each": EACH, "large": LARGE, "release": RELEASE, "chain": chain(30), "late": chain(30, failing=25).replace(
    "name: chain", "name: late"), "fan": FAN, "many": MANY}

# The frame of the graph, its scale, and the places of nodes, names and the map on the screen.
PLACES = """
  const rect = (one) => {
    const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const all = [...document.querySelectorAll('#graph .node')];
  const mini = document.querySelector('#graph .mini');
  const scene = document.querySelector('#graph .scene');
  return {
    frame: rect(document.getElementById('graph')),
    scale: Number(/scale\\(([^)]+)\\)/.exec(scene?.getAttribute('transform') ?? '')?.[1]),
    nodes: Object.fromEntries(all.map((node) => [node.getAttribute('aria-label').split(',')[0],
      rect(node.querySelector('.box'))])),
    chosen: rect(document.querySelector('#graph .node.chosen .box') ?? document.body),
    map: mini.hidden ? null : rect(mini),
  };"""


def opened(own, browser, name, status="succeeded", size=(1440, 900)):
    """Runs a workflow to its end, and waits until the page has drawn it."""
    width, height = size
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    run = own.run_to_end(name, status)
    browser.click("#runs .run", run)
    # A run of the same name may be shown still.
    eventually("the run is shown", lambda: browser.script(
        "return document.querySelector('#bar .crumbs code')?.textContent") == run)
    browser.sees(status, "#bar")
    eventually("the graph is drawn", lambda: browser.script(PLACES)["scale"] > 0)
    return run


def is_inside(part, frame):
    return (part["left"] >= frame["left"] and part["right"] <= frame["right"]
            and part["top"] >= frame["top"] and part["bottom"] <= frame["bottom"])


def overlap(one, other):
    return (one["left"] < other["right"] and other["left"] < one["right"]
            and one["top"] < other["bottom"] and other["top"] < one["bottom"])


@with_browser(WORKFLOWS)
def nineteen_steps_are_read_without_zooming(own, page, browser):
    opened(own, browser, "release")
    seen = browser.script(PLACES)
    expect(seen["scale"] >= 0.75, "at least 0.75 of the natural size", seen["scale"])
    expect_equal("steps", len(seen["nodes"]), 19)
    for name, node in seen["nodes"].items():
        expect(is_inside(node, seen["frame"]), f"{name} is in sight", (node, seen["frame"]))
    names = list(seen["nodes"])
    for at, one in enumerate(names):
        for other in names[at + 1:]:
            expect(not overlap(seen["nodes"][one], seen["nodes"][other]),
                   f"{one} beside {other}", seen["nodes"])
    cut = browser.script("""
      return [...document.querySelectorAll('#graph .node')].filter((node) => {
        const box = node.querySelector('.box').getBoundingClientRect();
        return [...node.querySelectorAll('text')].some((text) =>
          text.getBoundingClientRect().right > box.right + 0.5);
      }).map((node) => node.getAttribute('aria-label'))""")
    expect_equal("nodes with letters beside them", cut, [])
    last = max(node["right"] for name, node in seen["nodes"].items() if name != "cleanup")
    expect(seen["nodes"]["cleanup"]["left"] > last, "finally comes last", seen["nodes"])
    browser.keep("graph-of-19")
    return f"scale {seen['scale']:.2f}"


@with_browser(WORKFLOWS)
def a_graph_begins_at_the_step_that_failed(own, page, browser):
    opened(own, browser, "late", "failed")
    seen = browser.script(PLACES)
    expect(seen["scale"] >= 0.75, "a readable size", seen["scale"])
    failed = seen["nodes"]["step-25"]
    expect(is_inside(failed, seen["frame"]), "the failed step is in sight", seen)
    expect(not is_inside(seen["nodes"]["step-0"], seen["frame"]), "the first one is not", seen)


@with_browser(WORKFLOWS)
def the_keys_keep_the_chosen_step_in_sight(own, page, browser):
    for size in ((1440, 900), (500, 700)):
        opened(own, browser, "chain", size=size)
        browser.click('#graph button[aria-label="Zoom in"]')
        for key in "j" * 29 + "k" * 29:
            browser.press(key)
            seen = browser.script(PLACES)
            chosen = seen["chosen"]
            expect(is_inside(chosen, seen["frame"]), f"in sight after {key}, {size}",
                   (chosen, seen["frame"]))
            expect(not seen["map"] or not overlap(chosen, seen["map"]), "not below the map",
                   (chosen, seen["map"]))


@with_browser(WORKFLOWS)
def many_equal_branches_are_one_node_that_opens(own, page, browser):
    opened(own, browser, "fan")
    expect_equal("nodes", len(browser.script(PLACES)["nodes"]), 3)
    browser.sees("×20", "#graph")
    browser.sees("test-…", "#graph")
    shares = browser.script("""
      return [...document.querySelectorAll('#graph .bar-of-states rect')].map((cell) =>
        cell.getAttribute('class'))""")
    expect_equal("a cell for each step", shares, ["c-succeeded"] * 20)
    browser.click('#graph .node[aria-label*="group of steps"]')
    eventually("they are drawn one by one", lambda: len(browser.script(PLACES)["nodes"]) == 22)
    browser.click('#graph button[aria-label="Close the opened groups"]')
    eventually("one node again", lambda: len(browser.script(PLACES)["nodes"]) == 3)


@with_browser(WORKFLOWS)
def from_far_away_steps_are_squares_without_text(own, page, browser):
    opened(own, browser, "many")
    seen = browser.script(PLACES)
    expect(seen["scale"] >= 0.75, "a readable size", seen["scale"])
    expect(seen["map"], "a map of what is out of sight", seen["map"])
    browser.keep("graph-of-300")
    shown = "return getComputedStyle(document.querySelector('#graph .node text')).display"
    expect(browser.script(shown) != "none", "names", "none")
    browser.click('#graph button[aria-label="Show the whole graph"]')
    eventually("it is far away", lambda: browser.script(PLACES)["scale"] < 0.4)
    expect_equal("names", browser.script(shown), "none")
    colour = browser.script("""
      const box = document.querySelector('#graph .node.succeeded .box');
      const ok = getComputedStyle(document.querySelector('.c-succeeded')).color;
      return [getComputedStyle(box).fill, ok];""")
    expect_equal("the colour of the state", colour[0], colour[1])
    for _ in range(6):
        browser.click('#graph button[aria-label="Zoom in"]')
    browser.drawn()
    before = browser.script(PLACES)["nodes"]["s-0-0"]
    browser.click("#graph .mini")
    eventually("the map leads elsewhere",
               lambda: browser.script(PLACES)["nodes"]["s-0-0"] != before)
    browser.press("j")
    seen = browser.script(PLACES)
    expect(is_inside(seen["chosen"], seen["frame"]), "the chosen step is in sight again", seen)


@with_browser(WORKFLOWS)
def a_group_opens_by_one_click(own, page, browser):
    opened(own, browser, "each")
    browser.click('#graph .node[aria-label^="work,"]')
    eventually("its steps", lambda: len(browser.script(PLACES)["nodes"]) == 15)
    browser.sees("work (o)", "#graph")


@with_browser(WORKFLOWS)
def ten_thousand_steps_are_drawn_and_moved_at_once(own, page, browser):
    run = own.run("large")
    browser.sees(run, "#bar")
    browser.sees("1 running", "#upper")
    took = browser.script("""
      const began = performance.now();
      document.querySelector('#graph .node[aria-label^="quick,"]').dispatchEvent(
        new MouseEvent('click', { bubbles: true }));
      return performance.now() - began;""")
    eventually("they are drawn", lambda: browser.elements('#graph canvas[role="img"]'))
    eventually("a map", lambda: not browser.script(
        "return document.querySelector('#graph .mini').hidden"))
    expect(took < 3000, f"{STEPS} steps within 3 s", took)
    frames = sorted(browser.driver.execute_async_script("""
      const done = arguments[0];
      const box = document.getElementById('graph');
      const frames = [];
      let last = performance.now();
      requestAnimationFrame(function next() {
        const now = performance.now();
        frames.push(now - last);
        last = now;
        if (frames.length > 60) return done(frames);
        box.dispatchEvent(new WheelEvent('wheel', { deltaX: 20, deltaY: 10 }));
        requestAnimationFrame(next);
      });"""))
    own.command("cancel", run, "--now")
    median = frames[len(frames) // 2]
    expect(median < 60, "smooth moves", median)
    return f"opened in {took:.0f} ms, {median:.0f} ms a frame"
