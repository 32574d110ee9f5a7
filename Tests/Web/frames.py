# What is around the views: panels, dialogs, the history, the theme, narrow screens and messages.

import urllib.parse

from browser import with_browser
from project import eventually, expect, expect_equal, with_page

WORKFLOWS = {
    "release": """
name: release
steps:
  - { id: fetch, run: 'seq 1 200' }
  - { id: compile, matrix: { opt: [O0, O2], cc: [cc, clang] }, run: 'true' }
  - { id: test, run: 'true' }
  - { id: pack, run: 'true' }
  - { id: upload, run: 'true' }
""",
    "ship": """
name: ship
steps:
  - id: go
    needs: []
    approval:
      message: "Where to? [values: a=b, c]"
      values:
        place: { options: [here, there], default: here }
        note: { type: string }
  - { id: after, needs: [go], env: { P: "${{ steps.go.outputs.place }}" }, run: 'echo $P > place' }
  - { id: slow, needs: [], run: 'exec sleep 61.5' }
""",
    "each": """
name: each
steps:
  - { id: plan, run: 'echo "items=[\\"a\\", \\"b\\"]" >> $REPRISE_OUTPUT' }
  - id: all
    foreach: ${{ fromJSON(steps.plan.outputs.items) }}
    steps:
      - id: go
        approval:
          message: Go on?
          values: { place: { options: [here, there], default: here } }
""",
}


def sized(browser, width, height):
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


@with_browser(WORKFLOWS)
def panels_begin_at_the_same_height(own, page, browser):
    run = own.run_to_end("release", "succeeded")
    browser.sees(run, "#bar")
    for width, height in ((1440, 900), (2200, 1200), (1200, 700)):
        sized(browser, width, height)
        edges = browser.script("""
          return ['runs', 'upper', 'detail', 'lower'].map((id) => {
            const { top, bottom } = document.getElementById(id).getBoundingClientRect();
            return [top, bottom];
          })""")
        expect_equal("top edges", {edge[0] for edge in edges[:3]}, {edges[0][0]})
        expect_equal("bottom edges", {edges[at][1] for at in (0, 2, 3)}, {edges[0][1]})


@with_browser(WORKFLOWS)
def heads_of_the_table_are_above_their_columns(own, page, browser):
    for _ in range(3):
        run = own.run_to_end("release", "succeeded")
    browser.click("#runs .run", run)
    browser.click("[data-view=table]")
    browser.sees("compile (O2, cc)", "#other")
    places = browser.script("""
      const middle = (one) => {
        const { left, right } = one.getBoundingClientRect();
        return (left + right) / 2;
      };
      const row = document.querySelector('#other tbody tr');
      return [...document.querySelectorAll('#other thead th')].slice(1).map((head, at) =>
        [middle(head.querySelector('button')), middle(row.children[at + 1].firstChild)])""")
    expect_equal("columns", len(places), 3)
    for head, cell in places:
        expect(abs(head - cell) < 0.6, "a head above its column", places)


@with_browser(WORKFLOWS)
def dialogs_darken_the_page(own, page, browser):
    run = own.run_to_end("release", "succeeded")
    browser.sees(run, "#bar")
    hidden = "return document.getElementById('scrim').hidden"
    expect(browser.script(hidden), "no scrim", "one")
    for key, part in (("?", ".sheet"), ("r", "#ask")):
        browser.press(key)
        eventually("it is open", lambda part=part: browser.text(part))
        expect(not browser.script(hidden), f"a scrim below {part}", "none")
        covered = browser.script("""
          return document.elementFromPoint(5, innerHeight - 5).id""")
        expect_equal("what a click beside it hits", covered, "scrim")
        browser.script("document.getElementById('scrim').click()")
        eventually("it is closed", lambda: browser.script(hidden))
    expect_equal("runs", own.ids(), {run})


@with_browser(WORKFLOWS)
def keys_do_not_fill_the_history(own, page, browser):
    run = own.run_to_end("release", "succeeded")
    browser.sees(run, "#bar")
    browser.node("fetch")
    before = browser.script("return history.length")
    browser.press(*"jjjjj")
    browser.sees("test", "#detail h2")
    expect_equal("entries", browser.script("return history.length"), before)
    expect("step=test" in browser.address(), "the step in the address", browser.address())
    browser.node("pack")
    expect_equal("entries", browser.script("return history.length"), before + 1)
    browser.driver.back()
    browser.sees("test", "#detail h2")


@with_browser(WORKFLOWS)
def the_theme_follows_the_system(own, page, browser):
    def system(theme):
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})

    shown = "return document.documentElement.dataset.theme"
    for theme in ("light", "dark", "light"):
        system(theme)
        eventually(f"it is {theme}", lambda theme=theme: browser.script(shown) == theme)
    browser.click('#bar button[aria-label="Light or dark"]')
    expect_equal("the choice of a person", browser.script(shown), "dark")
    system("dark")
    system("light")
    expect_equal("it stays", browser.script(shown), "dark")
    browser.click('#bar button[aria-label="Light or dark"]')
    system("dark")
    eventually("the theme of the system again", lambda: browser.script(shown) == "dark")


@with_browser(WORKFLOWS)
def a_step_opens_as_a_sheet_on_a_narrow_screen(own, page, browser):
    sized(browser, 400, 800)
    run = own.run_to_end("release", "succeeded")
    browser.sees(run, "#bar")
    shown = "return document.getElementById('detail').offsetHeight"
    expect_equal("the height of the step", browser.script(shown), 0)
    browser.node("fetch")
    browser.sees("200", "#log")
    at_end = """const log = document.getElementById('log');
      return log.offsetHeight > 0 && log.scrollTop + log.clientHeight >= log.scrollHeight - 4"""
    eventually("its end is shown", lambda: browser.script(at_end))
    sized(browser, 1440, 900)
    eventually("nothing is dark", lambda: browser.script(
        "return document.getElementById('scrim').hidden"))
    sized(browser, 400, 800)
    eventually("its end again", lambda: browser.script(at_end))
    box = browser.script("""
      const { left, right, top, bottom, height } =
        document.getElementById('log').getBoundingClientRect();
      return [left >= 0, right <= innerWidth, top >= 0, bottom <= innerHeight, height > 250];""")
    expect(all(box), "the log is on the screen, and large", box)
    browser.keep("narrow-step")
    browser.click("#detail .close")
    eventually("it is closed", lambda: browser.script(shown) == 0)
    browser.open("about:blank")
    browser.open(f"{page.origin}/#run={run}&step=fetch&line=99")
    eventually("a link to a line opens it", lambda: browser.script("""
      const line = document.querySelector('#log .here')?.getBoundingClientRect();
      return line && line.top >= 0 && line.bottom <= innerHeight"""))


@with_browser(WORKFLOWS)
def messages_are_in_words_of_the_page(own, page, browser):
    run = own.run_to_end("release", "succeeded")
    browser.sees(run, "#bar")
    own.kill_page()
    browser.press("r")
    browser.confirm("Run release again")
    browser.sees("the server of the page does not answer", "#said")
    browser.click("[data-view=source]")
    browser.sees("the server of the page does not answer", "#other")
    expect("fetch" not in browser.text("#other") + browser.text("#said"), "no words of a browser",
           browser.text())
    expect("live" not in browser.text("#foot"), "not live", browser.text("#foot"))
    browser.errors()  # the failed requests


@with_browser(WORKFLOWS)
def a_page_without_a_session_is_not_live(own, page, browser):
    browser.script("localStorage.clear()")
    browser.open("about:blank")
    browser.open(page.origin)
    browser.sees("the session has ended", "#foot")
    browser.errors()  # 401


@with_page(WORKFLOWS)
def steps_of_computed_items_ask_for_their_values(own, page):
    run = own.run("each")
    eventually("both ask", lambda: len(own.show(run).get("awaiting-approval", [])) == 2)
    for step in own.show(run)["awaiting-approval"]:
        asked = page.read(f"/api/runs/{run}/steps/{urllib.parse.quote(step, safe='')}/approval")
        expect_equal(f"values of {step}", asked["values"], [
            {"name": "place", "type": "choice", "required": False, "options": ["here", "there"],
             "default": "here"}])


@with_browser(WORKFLOWS)
def an_approval_with_options_has_a_menu(own, page, browser):
    run = own.run("ship")
    browser.sees("Where to?", "#banner")
    asked = page.read(f"/api/runs/{run}/steps/go/approval")["values"]
    expect_equal("values", [(one["name"], one.get("options"), one.get("default")) for one in asked],
                 [("place", ["here", "there"], "here"), ("note", None, None)])
    expect_equal("of a step that asks nothing",
                 page.read(f"/api/runs/{run}/steps/after/approval")["values"], [])
    expect_equal("of no step", page.get(f"/api/runs/{run}/steps/none/approval").status, 404)
    browser.click("#banner button.yes")
    browser.sees("Approve go?", "#ask")
    names = browser.script("""
      return [...document.querySelectorAll('#ask [name]')].map((one) => [one.tagName, one.name])""")
    expect_equal("inputs", names, [["SELECT", "place"], ["INPUT", "note"]])
    browser.script("document.querySelector('#ask [name=place]').value = 'there'")
    browser.click("#ask input[name=note]")
    browser.press(*"by noon")
    browser.click("#ask button.primary")
    eventually("after has run", lambda: own.read("place") == "there\n")
    expect_equal("outputs", own.step(run, "go")["outputs"], {"place": "there", "note": "by noon"})
