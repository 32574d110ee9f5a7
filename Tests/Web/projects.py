# A page of several projects: which of them is shown, and which one is changed.

import os
import subprocess

from browser import Browser
from changes import sleeping
from project import Project, check, eventually, expect, expect_equal

SLOW = {"slow": """
name: slow
grace: 2s
steps:
  - { id: go, needs: [], approval: "Ship it?" }
  - { id: work, needs: [], run: 'exec sleep 61.5' }
""", "quick": "name: quick\nsteps: [{ id: a, run: 'pwd > here; echo done' }]\n"}


def served(first, *others):
    """A page of several projects that is started in none of them."""
    page = first.serve(*[each.folder for each in (first, *others)])
    page.session()
    return page


def name_of(project):
    return os.path.basename(project.folder)


@check
def one_page_shows_several_projects(reprise):
    """Two projects with live runs: the choice between them, Back, links, and what buttons change."""
    with Project(reprise, SLOW) as one, Project(reprise, SLOW) as two, Browser() as browser:
        page = served(one, two)
        first, second = one.run("slow"), two.run("slow")
        eventually("work runs", lambda: sleeping(one, "61.5") and sleeping(two, "61.5"))
        browser.open(page.url)
        browser.sees(first, "#bar")
        for project in (one, two):
            browser.sees(f"{name_of(project)}\n1 live", "#runs .projects")
        expect(second not in browser.text("#runs"), "runs of one project", browser.text("#runs"))
        browser.click("#runs .projects button", name_of(two))
        browser.sees(second, "#bar")
        browser.sees(name_of(two), "#bar")
        expect(first not in browser.text("#runs"), "runs of the other", browser.text("#runs"))
        expect(f"project={name_of(two)}&run={second}" in browser.address(), "both in the address",
               browser.address())
        browser.keep("projects")
        # What is done is done there.
        browser.press("a")
        browser.confirm("Approve go?")
        eventually("go is approved", lambda: two.state(second, "go") == "succeeded")
        browser.press("c")
        browser.confirm("Cancel the run?")
        two.ended(second, "cancelled")
        browser.sees(name_of(two), "#runs .projects")
        eventually("no live run there", lambda: browser.text("#runs .projects").count("live") == 1)
        expect_equal("the other project", (one.state(first, "go"), one.state(first, "work")),
                     ("ready", "running"))
        browser.click("#runs button", "Start…")
        browser.script("const choice = document.querySelector('.sheet select');"
                       "choice.value = 'quick'; choice.dispatchEvent(new Event('change'))")
        browser.click(".sheet button.primary")
        eventually("it ran in its folder", lambda: two.read("here").strip() == two.folder)
        expect_equal("a run in the other project", one.exists("here"), False)
        # Back leads to the other project again.
        for _ in range(4):
            if f"run={first}" not in browser.address():
                browser.driver.back()
        browser.sees(first, "#bar")
        browser.sees(name_of(one), "#bar")
        eventually("its run is listed", lambda: first in browser.text("#runs .list"))
        expect(second not in browser.text("#runs"), "its runs only", browser.text("#runs"))
        # What happens in a project that is not shown is counted.
        two.run("slow")
        browser.sees(f"{name_of(two)}\n1 live", "#runs .projects")
        expect_equal("errors", browser.errors(), [])


@check
def a_link_leads_into_its_project(reprise):
    with Project(reprise, SLOW) as one, Project(reprise, SLOW) as two, Browser() as browser:
        run = two.run_to_end("quick", "succeeded")
        page = served(one, two)
        words = f"project={name_of(two)}&run={run}&step=a"
        browser.open(page.url.replace(f"project={name_of(one)}", words))
        browser.sees(run, "#bar")
        browser.sees("done", "#log")
        expect("token" not in browser.address() and words in browser.address(), "no token",
               browser.address())
        browser.open("about:blank")
        browser.open(f"{page.origin}/#project=gone")
        browser.sees('the page has no project "gone"', "#said")
        browser.sees(name_of(one), "#bar")
        browser.errors()  # 404
        # An address of the page from the folder of the other project leads there.
        again = two.finished("web")
        expect_equal("the same page", again.stdout.strip(), page.url.replace(
            name_of(one), name_of(two)))
        browser.open("about:blank")
        browser.open(again.stdout.strip())
        browser.sees(run, "#bar")
        browser.click("#runs .projects button", name_of(one))
        browser.sees("Choose a run", "#upper")
        eventually("no log of another project", lambda: browser.script(
            "return document.getElementById('log').offsetHeight") == 0)


@check
def each_project_has_its_part_of_the_api(reprise):
    with Project(reprise, SLOW) as one, Project(reprise, SLOW) as two:
        for project in (one, two):
            os.mkdir(project.path("app"))
            os.rename(project.path("workflows"), project.path("app/workflows"))
        # Of the same name; given twice, as a link, and by the state directory.
        os.symlink(two.path("app"), one.path("link"))
        folders = [f"{project.folder}/app" for project in (one, two)]
        page = one.serve(*folders, one.path("link"), "app")
        page.session()
        names = [f"{name_of(project)}/app" for project in (one, two)]
        seen = page.read("/api/project")
        expect_equal("projects", seen["projects"], [
            {"name": name, "folder": folder} for name, folder in zip(names, folders)])
        path = f"/api/projects/{names[1].replace('/', '%2F')}"
        expect_equal("the second", page.read(f"{path}/project")["name"], names[1])
        run = page.change(f"{path}/runs", {"workflow": "quick"})["run"]
        eventually("it ran there", lambda: two.read("app/here").strip() == folders[1])
        expect_equal("the first", page.read("/api/runs")["runs"], [])
        expect_equal("of another project", page.get(f"/api/runs/{run}").status, 404)
        for wrong in ("/api/projects/none/runs", "/api/projects", f"{path}/none"):
            expect_equal(wrong, page.get(wrong).status, 404)
        expect_equal("without a session", page.request("GET", f"{path}/runs").status, 401)
        marks = set()
        for event, _, data in page.messages(f"/api/events?run={run}:0"):
            marks.add((event, data.get("project")))
            if {("run", None), ("runs", names[1]), ("watches", names[0])} <= marks:
                break


@check
def folders_that_are_no_projects_are_errors(reprise):
    with Project(reprise, SLOW) as own, Project(reprise, SLOW) as other:
        os.mkdir(own.path("empty"))
        for words, wanted in (
                (("none",), 'error: there is no folder "none"'),
                ((own.folder, "empty"), 'error: "empty" is no project: it has no folder .reprise'),
                ((".", "--state-dir", "x"), "--state-dir cannot be combined with folders")):
            seen = own.finished("web", *words)
            expect(seen.returncode == 2 and wanted in seen.stderr, wanted, seen)
        expect("reprise init" in own.finished("web", "empty").stderr, "what to do", "nothing")
        expect_equal("no state directory", own.exists("empty/.reprise"), False)
        # A page of one of them is not a page of both.
        page = own.serve(".reprise" if own.exists(".reprise") else ".")
        seen = own.finished("web", ".", other.folder)
        expect(seen.returncode == 2 and page.url in seen.stderr
               and f"kill {page.process.pid}" in seen.stderr, "which page, and its end", seen)
        expect_equal("what is printed", seen.stdout, "")
        # But the other can have its own.
        page.session()
        expect_equal("its projects", len(page.read("/api/project")["projects"]), 1)
        other.serve()
        seen = subprocess.run(["kill", str(page.process.pid)], check=False)
        page.process.wait()
        expect_equal("ended", seen.returncode, 0)
