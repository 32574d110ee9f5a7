# Two films of what the display is for: a step fails, it is read, fixed and restarted, without
# another terminal. The frames are kept as asciinema recordings in .build/terminal.

import os

from checks import FrameChecks, check_end, surrounded
from session import Session

STEPS = ["fetch", "format", "lint", "compile", "unit-one", "unit-two", "unit-three", "docs"]
EDITOR = """#!/bin/sh
sed -i 's/[.]txt.bak/.txt/' "$2"
"""


def workflow(server):
    """Twelve steps, of which `check` fails: its file name is wrong."""
    parallel = "".join(
        f"      - {{ id: {name}, run: 'echo {name} >> ran; sleep 0.3; echo done' }}\n"
        for name in STEPS[1:])
    last = (
        """  - id: server
    needs: []
    run: "echo server >> ran; echo serving; until [ -e stop ]; do sleep 0.1; done"
""" if server else "  - { id: notify, run: 'echo notify >> ran' }\n")
    return f"""name: film
grace: 1s
fail-fast: false
steps:
  - {{ id: fetch, run: "echo fetch >> ran; echo all good > data.txt; sleep 0.3" }}
  - parallel:
{parallel}  - id: check
    run: |
      echo check >> ran
      echo 'reading the data'
      if ! grep -q good data.txt.bak; then echo 'error: there is no data'; exit 2; fi
  - {{ id: package, run: "echo package >> ran; sleep 0.3" }}
  - {{ id: publish, run: "echo publish >> ran; sleep 0.3" }}
{last}"""


def recording(reprise, folder, name, server, frames):
    with open(os.path.join(folder, "film.yaml"), "w", encoding="utf-8") as file:
        file.write(workflow(server))
    with open(os.path.join(folder, "editor"), "w", encoding="utf-8") as file:
        file.write(EDITOR)
    os.chmod(file.name, 0o755)
    checks = FrameChecks("film")
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    os.symlink(reprise, os.path.join(folder, "bin", "reprise"))
    return checks, Session(
        surrounded("PATH=$PWD/bin:$PATH; reprise run ./film.yaml", 3), 80, 24, folder,
        checks=[checks], environment={"EDITOR": "./editor"},
        film=os.path.join(frames, name + ".cast"))


def ran(session):
    return session.read("ran").split()


def read_failure(session):
    """Sees the failure at once, chooses it, reads its log and closes it."""
    session.see("check failed: exited with status 2", "│ error: there is no data")
    session.press("↓").wait(
        lambda session: any(row.startswith("❯ ✖ check") for row in session.screen.rows),
        "that the failed step is chosen")
    session.press("Enter").wait(lambda session: session.screen.is_alternate, "the log")
    session.see("reading the data", "error: there is no data").press("Esc")
    session.wait(lambda session: not session.screen.is_alternate, "the tree")


def while_running(reprise, folder, frames):
    """The rest of the run goes on: edit, and confirm the reload that is offered."""
    checks, session = recording(reprise, folder, "edit-and-continue", True, frames)
    with session:
        read_failure(session)
        before = ran(session)
        session.press("e").see("the workflow file has changed: u reads it again")
        session.press("u").see("reload?", "run again: check, package, publish", "y/n").press("y")
        session.see("generation 2")
        session.wait(lambda session: "publish" in ran(session), "the last step")
        session.see("✔ publish", "serving")
        session.expect(
            ran(session)[len(before):] == ["check", "package", "publish"],
            f"{before} became {ran(session)}")
        with open(os.path.join(folder, "stop"), "w", encoding="utf-8"):
            pass
        check_end(session, 3, 0)
        session.expect("succeeded  12 of 12 done" in session.all_text, "the outcome is not shown")
    return f"{checks.checked} frames"


def after_end(reprise, folder, frames):
    """The run is over: edit, and restart from the step."""
    checks, session = recording(reprise, folder, "after-the-end", False, frames)
    with session:
        session.see("R restart from step")
        read_failure(session)
        before = ran(session)
        session.press("e")
        session.wait(lambda session: ".txt.bak" not in session.read("film.yaml"), "the editor")
        session.press("R").see("restart from check?", "y/n").press("y")
        session.wait(lambda session: "notify" in ran(session), "the last step")
        check_end(session, 3, 0)
        session.expect(
            ran(session)[len(before):] == ["check", "package", "publish", "notify"],
            f"{before} became {ran(session)}")
    return f"{checks.checked} frames"
