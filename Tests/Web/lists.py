# Which runs are listed, the calendar, and the files that runs leave.

import os
import sqlite3
import time
import urllib.parse

from browser import with_browser
from project import eventually, expect, expect_equal, with_page

WORKFLOWS = {
    "good": "name: good\nsteps: [{ id: a, run: 'true' }]\n",
    "bad": "name: bad\nsteps: [{ id: a, run: 'exit 1' }]\n",
    "files": r"""
name: files
steps:
  - id: leave
    run: |
      cd "$REPRISE_RUN_DIR"
      mkdir -p deep/er
      printf 'a\0b' > app.bin
      echo '<script>alert(1)</script>' > 'deep/er/a page.html'
      ln -s /etc/passwd link
      ln -s /etc folder
      ln -s ../app.bin deep/inner
      mkfifo pipe
      truncate -s 100M large
""",
}
DAY = 86400


def aged(own, run, days):
    """Records a run as if it had been requested some days ago."""
    journal = sqlite3.connect(f"{own.folder}/.reprise/journal.db", timeout=30)
    with journal:
        journal.execute("UPDATE run SET requested_at = requested_at - ? WHERE id = ?",
                        (days * DAY * 1_000_000, run))
    journal.close()


def moment(days_ago):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() - days_ago * DAY))


@with_page(WORKFLOWS)
def runs_are_found_by_status_and_time(own, page):
    names = ["good", "bad", "good", "bad"]
    runs = [own.run_to_end(name, "failed" if name == "bad" else "succeeded") for name in names]
    for run, days in zip(runs, (40, 10, 2)):
        aged(own, run, days)

    def found(**query):
        words = urllib.parse.urlencode(query)
        listed = page.read(f"/api/runs?{words}")
        return [line["id"] for line in listed["runs"]], listed["more"]

    expect_equal("all", found(), (runs[::-1], False))
    expect_equal("failed", found(status="failed"), ([runs[3], runs[1]], False))
    expect_equal("one of them", found(status="failed", limit=1), ([runs[3]], True))
    expect_equal("the one before", found(status="failed", before=runs[3]), ([runs[1]], False))
    expect_equal("since", found(since=moment(5)), (runs[:1:-1], False))
    expect_equal("until", found(until=moment(5)), (runs[1::-1], False))
    expect_equal("both", found(since=moment(20), until=moment(5), status="succeeded"), ([], False))
    for query in ("status=bad", "since=yesterday", "until=2026"):
        expect_equal(query, page.get(f"/api/runs?{query}").status, 400)


@with_browser(WORKFLOWS)
def the_list_is_filtered_by_status_time_and_day(own, page, browser):
    runs = [own.run_to_end(name, "failed" if name == "bad" else "succeeded")
            for name in ("good", "bad", "good", "bad")]
    for run, days in zip(runs, (40, 10, 2)):
        aged(own, run, days)
    browser.open("about:blank")
    browser.open(page.url)
    listed = """return [...document.querySelectorAll('#runs .run .more')].map((line) =>
      line.innerText.split(' ')[0])"""
    eventually("all runs", lambda: browser.script(listed) == runs[::-1])

    def choose(label, value):
        browser.script("""
          const choice = document.querySelector(`#runs select[aria-label="${arguments[0]}"]`);
          choice.value = arguments[1];
          choice.dispatchEvent(new Event('change'));""", label, value)

    def shows(what, wanted):
        eventually(what, lambda: browser.script(listed) == wanted)

    choose("Status", "failed")
    shows("failed runs", [runs[3], runs[1]])
    choose("Time", "7")
    shows("failed runs of a week", [runs[3]])
    new = own.run_to_end("bad", "failed")
    shows("also a new one", [new, runs[3]])
    choose("Status", "")
    shows("runs of a week", [new, runs[3], runs[2]])
    choose("Time", "")
    shows("all again", [new, *runs[::-1]])
    days = browser.script("""
      return [...document.querySelectorAll('#runs .calendar button')].map((day) =>
        day.getAttribute('aria-label').split(': ')[1])""")
    expect_equal("days", days, ["1 run", "1 run, 1 failed", "1 run", "2 runs, 2 failed"])
    browser.click('#runs .calendar button[aria-label$="1 run, 1 failed"]')
    shows("the runs of that day", [runs[1]])
    browser.keep("calendar")
    browser.click('#runs .calendar button[aria-pressed="true"]')
    shows("all again", [new, *runs[::-1]])


@with_page(WORKFLOWS)
def only_files_of_the_folder_of_a_run_are_served(own, page):
    run = own.run_to_end("files", "succeeded")
    seen = page.read(f"/api/runs/{run}/files")
    expect_equal("files", seen, {"files": [
        {"path": "app.bin", "size": 3}, {"path": "deep/er/a page.html", "size": 26},
        {"path": "large", "size": 100 << 20}], "more": False})

    def get(path):
        return page.get(f"/api/runs/{run}/file?path={urllib.parse.quote(path, safe='')}")

    answer = get("app.bin")
    expect_equal("its bytes", (answer.status, answer.body), (200, b"a\0b"))
    answer = get("deep/er/a page.html")
    fields = [answer.field(name) for name in ("Content-Type", "Content-Disposition",
                                              "X-Content-Type-Options")]
    expect_equal("never a page", fields, ["application/octet-stream", "attachment", "nosniff"])
    expect_equal("too large", get("large").status, 409)
    for path in ("link", "folder/passwd", "folder", "deep/inner", "pipe", "deep", "/etc/passwd",
                 "../../journal.db", "deep/../app.bin", "./app.bin", "deep//er", "app.bin/", "\0",
                 "app.bin\0"):
        answer = get(path)
        expect(answer.status in (400, 404), f"no file {path!r}", answer)
    # The folder itself may have been replaced, too.
    folder = own.path(f".reprise/files/{run}")
    os.rename(folder, own.path("moved"))
    os.symlink("/etc", folder)
    expect_equal("files behind a link", page.read(f"/api/runs/{run}/files")["files"], [])
    expect_equal("a file behind a link", get("passwd").status, 404)
    own.run_to_end("good", "succeeded")
    answer = page.request("GET", f"/api/runs/{run}/file?path=app.bin")
    expect_equal("without a session", answer.status, 401)


@with_browser(WORKFLOWS)
def files_of_a_run_are_kept_by_the_browser(own, page, browser):
    run = own.run_to_end("files", "succeeded")
    browser.sees(run, "#bar")
    browser.click("[data-view=files]")
    browser.sees("deep/er/a page.html", "#other")
    browser.sees("100.0 MiB", "#other")
    folder = own.path("downloads")
    os.mkdir(folder)
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {
        "behavior": "allow", "downloadPath": folder})
    browser.click('#other button[aria-label="Download app.bin"]')
    eventually("a file", lambda: own.read("downloads/app.bin") == "a\0b")
    browser.click('#other button[aria-label="Download large"]')
    browser.sees("more than 64 MiB", "#said")
    browser.errors()  # 409
    other = own.run_to_end("good", "succeeded")
    browser.click("#runs .run", other)
    browser.click("[data-view=files]")
    browser.sees("No step has left a file", "#other")
