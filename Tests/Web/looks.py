# How the page looks and reads: narrow and wide, light and dark, with keys and a screen reader.

from browser import with_browser
from project import eventually, expect, expect_equal

WORKFLOWS = {"release": """
name: release
steps:
  - { id: fetch, run: 'sleep 0.3' }
  - parallel:
      - { id: build, run: 'for i in 1 2 3; do echo "part $i"; sleep 0.1; done' }
      - { id: lint, run: 'echo "warning: a long line $(seq 1 80 | tr "\\n" " ")"; sleep 0.2' }
      - { id: test, foreach: [a, b, c, d], run: 'sleep 0.$((RANDOM % 4))' }
  - { id: package-with-a-very-long-name-that-does-not-fit, continue-on-error: true, run: 'echo packed; exit 3' }
  - { id: ask, needs: [], approval: "Is it all right to publish this version now?" }
"""}
SIZES = {"wide": (1440, 900), "narrow": (360, 740), "tablet": (820, 1100)}


def open_release(own, browser):
    """A run that has failed in part, and waits."""
    own.run("release")
    browser.sees("1 failed")
    browser.sees("1 waiting")


@with_browser(WORKFLOWS)
def it_fits_each_size_in_both_themes(own, page, browser):
    open_release(own, browser)
    for theme in ("dark", "light"):
        for name, (width, height) in SIZES.items():
            browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1,
                "mobile": width < 500})
            browser.script(
                "document.documentElement.dataset.theme = arguments[0]", theme)
            for view in ("graph", "table", "source"):
                browser.script(f"document.querySelector('[data-view={view}]').click()")
                eventually("it is drawn", lambda: browser.script(
                    "return new Promise((done) => requestAnimationFrame(() => done(true)))"))
                widths = browser.script(
                    "return [document.documentElement.scrollWidth, innerWidth]")
                expect(widths[0] <= widths[1], f"no horizontal scroll: {name}, {view}", widths)
            browser.script("document.querySelector('[data-view=graph]').click()")
            browser.sees("test", "#graph")
            # On a narrow screen, the step is a sheet over the page.
            browser.script("document.querySelector('#timeline .row').dispatchEvent("
                           "new MouseEvent('click', { bubbles: true }))")
            for part in ("bar", "upper", "detail", "log", "runs"):
                box = browser.script("""
                  const box = document.getElementById(arguments[0]).getBoundingClientRect();
                  return [box.width, box.height];""", part)
                expect(min(box) > 20, f"{part} is seen in {name}", box)
            browser.keep(f"{name}-{theme}")
            browser.press("escape")


@with_browser(WORKFLOWS)
def everything_has_a_name_for_a_screen_reader(own, page, browser):
    """From the accessibility tree of the browser, as a reader gets it."""
    open_release(own, browser)
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    wanted = {"button", "textbox", "searchbox", "combobox", "tab", "link", "progressbar", "log",
              "listitem", "navigation", "region", "list", "tablist", "alertdialog"}
    unnamed = [node["role"]["value"] for node in nodes if not node["ignored"]
               and node.get("role", {}).get("value") in wanted
               and not node.get("name", {}).get("value", "").strip()
               and node["role"]["value"] not in ("listitem",)]
    expect_equal("parts without a name", unnamed, [])

    def names():
        tree = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [node.get("name", {}).get("value", "") for node in tree]

    for text in ("fetch, step, succeeded", "lint, step, succeeded", "ask, step, waiting",
                 "test, group of steps"):
        eventually(f"a node named {text}",
                   lambda text=text: any(name.startswith(text) for name in names()))


@with_browser(WORKFLOWS)
def keys_alone_are_enough(own, page, browser):
    """The tabulator reaches steps and buttons, and what has the focus is seen."""
    open_release(own, browser)
    reached = set()
    for _ in range(60):
        browser.press("\ue004")
        seen = browser.script("""
          const own = document.activeElement;
          const style = getComputedStyle(own);
          return [own.getAttribute('aria-label') ?? own.innerText ?? own.tagName,
            style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
              || style.boxShadow !== 'none' || own === document.body
              || own.classList.contains('node')];""")
        reached.add(seen[0].split(",")[0].split("\n")[0].strip())
        expect(seen[1], f"a visible focus on {seen[0]!r}", seen)
    for name in ("fetch", "ask", "Graph", "Start…", "Approve"):
        expect(any(each.startswith(name) for each in reached), f"{name} is reached", reached)
    browser.press("escape", "k")
    first = browser.text("#detail h2")
    browser.press("k")
    eventually("the step above", lambda: browser.text("#detail h2") != first)


@with_browser(WORKFLOWS)
def motion_is_reduced_if_the_user_wants_that(own, page, browser):
    open_release(own, browser)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    moving = browser.script("""
      return document.getAnimations().filter((one) => one.playState === 'running'
        && one.effect.getComputedTiming().duration > 10).length""")
    expect_equal("animations", moving, 0)
