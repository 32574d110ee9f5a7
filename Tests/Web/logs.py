# Logs, sources and comparisons as they are read in the page.

import os

from browser import with_browser
from project import eventually, expect, expect_equal

WORKFLOWS = {
    "lines": """
name: lines
steps: [{ id: many, run: "seq 1 60000; echo the Needle; seq 60001 90000; echo last" }]
""",
    "links": r"""
name: links
steps:
  - id: say
    run: |
      echo 'see https://example.org/a?b=(1). Or (http://localhost:8000/x), too'
      echo 'javascript:alert(1) ftp://example.org file:///etc/passwd https://user:pw@example.org'
      printf 'https://exa\342\200\256mple.org/gro.elpmaxe \033[31mhttps://red.example\033[0m\n'
      echo '"><img src=x onerror=alert(1)> https://example.org/"><img>'
""",
    "quiet": """
name: quiet
steps:
  - { id: quiet, run: 'while [ ! -e done ]; do sleep 0.05; done' }
  - { id: never, if: "1 == 2", run: 'true' }
""",
    "compared": """
name: compared
steps:
  - { id: same, run: 'true' }
  - { id: slower, run: 'sleep $(cat seconds)' }
""",
}


def numbers(browser):
    """The numbers and texts of the lines that are drawn."""
    return browser.script("""
      return [...document.querySelectorAll('#log .line')].map((line) =>
        [line.querySelector('.at').innerText, line.querySelector('.text').innerText])""")


@with_browser(WORKFLOWS)
def lines_have_numbers_and_times(own, page, browser):
    run = own.run_to_end("lines", "succeeded")
    browser.sees(run, "#bar")
    browser.sees("last", "#log")
    eventually("the last line", lambda: numbers(browser)[-1:] == [["90002", "last"]])
    expect_equal("the one before it", numbers(browser)[-2], ["90001", "90000"])
    # Lines before the window are numbered as they are read.
    for _ in range(3):
        browser.script("document.getElementById('log').scrollTop = 0")
        eventually("more lines", lambda: browser.script(
            "return document.getElementById('log').scrollTop") > 0)
    for number, text in numbers(browser):
        if text.isdigit():
            expect_equal("a line", int(number), int(text) + (int(text) > 60000))
    browser.script("document.getElementById('log').focus()")
    browser.press("g")
    eventually("the first line", lambda: numbers(browser)[:1] == [["1", "1"]])
    expect(not browser.elements("#log .at-time"), "no times", "times")
    browser.click("#detail .tools button", "Times")
    eventually("times", lambda: browser.text("#log .at-time").count(":") == 2)
    selected = browser.script("""
      getSelection().selectAllChildren(document.querySelector('#log .line'));
      return String(getSelection()).trim()""")
    expect_equal("what is copied", selected, "1")


@with_browser(WORKFLOWS)
def only_addresses_of_web_pages_are_links(own, page, browser):
    run = own.run_to_end("links", "succeeded")
    browser.sees(run, "#bar")
    browser.sees("onerror", "#log")
    links = browser.script("""
      return [...document.querySelectorAll('#log a.link')].map((link) =>
        [link.getAttribute('href'), link.innerText, link.rel, link.target])""")
    wanted = ["https://example.org/a?b=(1)", "http://localhost:8000/x", "https://red.example",
              "https://example.org/"]
    expect_equal("links", [link[0] for link in links], wanted)
    for href, text, rel, target in links:
        expect_equal("what is read", text, href)
        expect_equal("how it opens", (rel, target), ("noopener noreferrer", "_blank"))
    browser.press("/", *"example.org", "enter")
    eventually("what is searched is marked in them",
               lambda: browser.elements("#log a.link mark"))


@with_browser(WORKFLOWS)
def a_step_without_output_says_so_when_it_has_ended(own, page, browser):
    run = own.run("quiet")
    browser.sees("1 running")
    browser.sees("no output yet", "#log")
    own.write("done", "")
    own.ended(run, "succeeded")
    browser.node("quiet")
    browser.sees("(no output)", "#log")
    browser.node("never")
    browser.sees("(skipped)", "#log")


@with_browser(WORKFLOWS)
def a_log_is_kept_as_a_file(own, page, browser):
    run = own.run_to_end("lines", "succeeded")
    browser.sees("last", "#log")
    folder = own.path("downloads")
    os.mkdir(folder)
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {
        "behavior": "allow", "downloadPath": folder})
    browser.click('#detail .tools button[aria-label="Download"]')
    path = f"downloads/{run} many.log"
    eventually("a file", lambda: own.read(path).endswith("last\n"))
    numbered = list(range(1, 60001)) + ["the Needle"] + list(range(60001, 90001)) + ["last"]
    expect_equal("its text", own.read(path), "".join(f"{line}\n" for line in numbered))


@with_browser(WORKFLOWS)
def a_source_has_numbers_and_its_path_as_it_is(own, page, browser):
    own.write("done", "")
    run = own.run_to_end("quiet", "succeeded")
    browser.sees(run, "#bar")
    browser.click("[data-view=source]")
    browser.sees("id: never", "#other")
    expect(own.path("workflows/quiet.yaml") in browser.text("#other"), "the path as it is",
           browser.text("#other")[:200])
    shown = browser.script("""
      const lines = [...document.querySelectorAll('#other .code > div')];
      return [lines.map((line) => line.innerText.trimEnd()).join('\\n').trim(),
        getComputedStyle(lines[2], '::before').content];""")
    expect_equal("what is copied", shown[0], WORKFLOWS["quiet"].strip())
    expect(shown[1].startswith("counter("), "a number", shown[1])


@with_browser(WORKFLOWS)
def a_comparison_has_bars_and_an_address(own, page, browser):
    runs = []
    for seconds in ("0.1", "1.2", "0.1"):
        own.write("seconds", seconds)
        runs.append(own.run_to_end("compared", "succeeded"))
    browser.click("#runs .run", runs[1])
    browser.click("[data-view=compare]")
    browser.sees("slower", "#other")
    text = browser.text("#other")
    expect("−0.0" not in text and "+0.0" not in text, "no zeros", text)

    def choose(other):
        browser.script("""
          const choice = document.querySelector('#other select');
          choice.value = arguments[0];
          choice.dispatchEvent(new Event('change'));""", other)
        eventually("it is in the address", lambda: f"other={other}" in browser.address())
        eventually("bars", lambda: browser.elements("#other .change i.slower"))
        browser.drawn()

    choose(runs[0])
    widths = browser.script("""
      return [...document.querySelectorAll('#other tbody tr')].map((row) =>
        [row.querySelector('button').innerText, row.querySelector('i')?.offsetWidth ?? 0])""")
    expect(widths[0][0] == "slower" and widths[0][1] > 60, "a wide bar at the top", widths)
    expect(widths[1][1] < 20, "none for what is the same", widths)
    choose(runs[2])
    link = browser.address()
    browser.driver.back()
    chosen = "return document.querySelector('#other select')?.value"
    eventually("the choice before", lambda: browser.script(chosen) == runs[0])
    browser.open("about:blank")
    browser.open(link)
    eventually("the choice of the link", lambda: browser.script(chosen) == runs[2])
