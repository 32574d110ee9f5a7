# What steps print and are called is shown as text, whatever it is.

from browser import with_browser
from project import eventually, expect, expect_equal

HOSTILE = r"""
name: "<img src=x onerror=\"document.title='hacked'\">"
steps:
  - id: print
    run: |
      head -c 1048576 /dev/zero | tr '\000' x; echo
      head -c 50000 /dev/zero | tr '\000' '\033'; echo
      printf '<script>document.title="hacked"</script><img src=x onerror=alert(1)>\n'
      printf '\033]0;hacked\007\033[2J\033[31;1mred\033[0m \033[8mhidden\033[0m \033]8;;javascript:alert(1)\007link\033]8;;\007\n'
      printf 'a\342\200\256cilbup\342\200\254b\n\377\376\000bytes\n'
      printf '</pre></div></body><style>*{display:none}</style>\n'
      printf 'javascript:alert(1) data:text/html,<script>1</script>\n'
      for i in $(seq 1 300); do printf '\033[3%dm' $((i % 8)); done; echo end
      echo 'v=</script><!--<b>' >> $REPRISE_OUTPUT
  - { id: odd, needs: [], foreach: ["<script>document.title='hacked'</script>", b], run: 'true' }
  - { id: ask, needs: [], approval: "<b onclick=alert(1)>really?</b>\u202Eyes" }
"""


@with_browser({"hostile": HOSTILE})
def names_and_outputs_are_text(own, page, browser):
    run = own.run("hostile")
    eventually("it has printed", lambda: own.state(run, "print") == "succeeded")
    browser.sees("<img src=x", "#bar")
    browser.node("print")
    browser.sees("<b onclick=alert(1)>really?</b>", "#banner")
    browser.sees('<script>document.title="hacked"</script><img src=x onerror=alert(1)>', "#log")
    browser.sees("</pre></div></body><style>", "#log")
    browser.sees("red", "#log")
    browser.sees("</script><!--<b>", "#detail")
    browser.click('#graph .node[aria-label^="odd,"]')
    browser.click('#graph .node[aria-label^="odd (<script"]')
    browser.sees("odd (<script>document.title=", "#detail h2")
    browser.keep("hostile")
    counted = browser.script("""
      return { title: document.title, images: document.querySelectorAll('img').length,
        scripts: document.querySelectorAll('script').length, bold: document.querySelectorAll(
          '#banner b[onclick]').length, styles: document.querySelectorAll('style').length,
        links: [...document.querySelectorAll('a')].filter((a) => !/^#/.test(
          a.getAttribute('href'))).length };""")
    expect("hacked" not in counted["title"] or "<img" in counted["title"], "the title", counted)
    expect_equal("elements", [counted[name] for name in ("images", "scripts", "bold", "styles",
                                                         "links")], [0, 1, 0, 0, 0])
    expect("\u202e" not in browser.text("#log"), "bidirectional marks are visible", "hidden")
    expect("\u202e" not in browser.text("#banner"), "also in questions", browser.text("#banner"))
    heights = browser.script("""
      return [document.documentElement.scrollWidth, innerWidth]""")
    expect(heights[0] <= heights[1], "a line of 1 MiB does not widen the page", heights)


@with_browser({"hostile": HOSTILE})
def a_report_in_one_file_is_as_safe(own, page, browser):
    run = own.run("hostile")
    eventually("it has printed", lambda: own.state(run, "print") == "succeeded")
    own.command("cancel", run)
    own.ended(run, "cancelled")
    done = own.finished("show", run, "--html", "report.html")
    expect_equal("the exit status", (done.returncode, done.stderr), (0, ""))
    browser.open(f"file://{own.path('report.html')}")
    browser.sees("<img src=x", "#bar")
    browser.node("print")
    browser.sees("</pre></div></body><style>", "#log")
    browser.sees("a file: nothing changes any more", "#foot")
    browser.keep("report")
    seen = browser.script("""return [document.querySelectorAll('img').length,
      document.querySelectorAll('#log style').length, document.title.includes('hacked')
      && !document.title.includes('<img')]""")
    expect_equal("elements", seen, [0, 0, False])
