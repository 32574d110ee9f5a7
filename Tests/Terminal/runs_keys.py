# The tests of the keys of the list of runs, and of those of a run after its end and after the user has left it.

import os
import re

from checks import FrameChecks, check_end, squeezed, surrounded
from keys import TESTS, key
from session import Session

WORKFLOWS = {
    "good": "name: good\nsteps: [{ id: one, run: echo fine }]\n",
    "bad": "name: bad\nsteps: [{ id: one, run: 'echo reason; test -e mended' }, { id: two, run: 'true' }]\n",
    "long": "name: long\ngrace: 2s\nsteps: [{ id: one, run: 'echo begun; sleep 1000' }]\n",
}


def marked(session):
    """The workflow of the run that is marked as chosen."""
    rows = [row for row in session.screen.rows if row.startswith("❯ ")]
    return rows[0].split()[2] if len(rows) == 1 and len(rows[0].split()) > 2 else None


def chooses(session, workflow):
    session.wait(lambda session: marked(session) == workflow, f"the mark at {workflow}")
    return session


def state(session, workflow):
    """What the list says of the newest run of a workflow."""
    row = next(row for row in session.screen.rows if f" {workflow} " in row)
    return re.search(rf" {workflow} +(\S.*)", row)[1]


@key("runs", "↑", "k")
def choose_above(top, label):
    top.press("End")
    chooses(top, "good").press(label)
    chooses(top, "bad").press(label, label)
    chooses(top, "long")


@key("runs", "↓", "j")
def choose_below(top, label):
    top.press("Home")
    chooses(top, "long").press(label)
    chooses(top, "bad").press(label, label)
    chooses(top, "good")


@key("runs", "PgUp", "Home")
def choose_newest(top, label):
    top.press("End")
    chooses(top, "good").press(label)
    chooses(top, "long")


@key("runs", "PgDn", "End")
def choose_oldest(top, label):
    top.press("Home")
    chooses(top, "long").press(label)
    chooses(top, "good")


@key("runs", "Enter", "→")
def open_run(top, label):
    top.press("Home", "j")
    chooses(top, "bad").press(label).see("bad  ", "one", "not run", "reason")
    top.press("g").see("graph").press("g").see("failed")
    top.press("q").see("RUN", "good")
    chooses(top, "bad")


@key("runs", "/")
def filter_runs(top, label):
    top.press(label, *"good").see("1 of 3 runs")
    chooses(top, "good").press("Enter", "Esc").see_no("of 3 runs")
    chooses(top, "good")


@key("runs", "Esc")
def show_all(top, label):
    top.press("/", *"nothing").see("no run has").press(label).see("good", "bad", "long")


@key("runs", "p")
def pause_run(top, label):
    top.press("Home")
    chooses(top, "long").press(label).see("pause run", "y/n").press("n").see("nothing was done")
    top.press(label, "y")
    top.wait(lambda top: state(top, "long").startswith("paused"), "a pause")
    top.press(label)
    top.wait(lambda top: state(top, "long").startswith("running"), "the end of the pause")


@key("runs", "r")
def restart_run(top, label):
    top.press("Home")
    chooses(top, "long").press(label).see("restart the whole run", "y/n").press("y")
    top.wait(lambda top: state(top, "long").startswith("running (2)"), "another generation")
    top.press("j")
    chooses(top, "bad").press(label).see("resume: run", "y/n").press("y")
    top.wait(lambda top: state(top, "bad").startswith("failed (2)"), "another failure")


@key("runs", "?")
def show_help(top, label):
    top.press(label).see("choose the run above")
    seen, pages = top.text, 1
    while f"page {pages} of" in top.text and "more keys" in top.text:
        pages += 1
        top.press(label).see(f"page {pages} of")
        seen += top.text
    top.expect("choose the oldest run" in seen and "this help" in seen, "a key is missing")
    top.press(label).see_no("page ", "this help")


@key("runs", "c")
def cancel_run(top, label):
    top.press("Home")
    chooses(top, "long").press(label).see("cancel run", "y/n").press("n").see("nothing was done")
    top.press(label, "y")
    top.wait(lambda top: state(top, "long").startswith("cancelled"), "the end of the run")
    top.press(label).see("is over")


@key("runs", "q")
def quit_list(top, label):
    top.press(label)
    check_end(top, 3, 0)


def all_runs_keys(reprise, folder, columns, rows):
    """Presses the keys of the list of runs; those that end something come last."""
    for name, text in WORKFLOWS.items():
        with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(text)
    commands = "; ".join(
        f"{reprise} run ./{name}.yaml {options} > /dev/null 2>&1"
        for name, options in [
            ("good", "--progress none"), ("bad", "--progress none"), ("long", "--detach")])
    with Session(
            f"{commands}; " + surrounded(f"{reprise} top", 3), columns, rows, folder) as top:
        top.see("RUN", "long", "bad", "good")
        for (place, label), test in TESTS.items():
            if place == "runs":
                test(top, label)
        return f"{len(top.frames)} frames"


# The run after its end, and after its user has left it

AFTER_END = {
    "R": "restart from one?", "r": "resume the run?", "C": "the run is over", "c": "the run is over",
    "a": "the run is over", "x": "the run is over", "p": "the run is over",
    "O": "the run is over",
    "D": "count one as succeeded and resume the run?", "S": "skip one and resume the run?",
    "u": "resume the run?", "T": "1 run", "g": "graph: 2 steps", "t": "critical path", "Enter": "line 1 of 1",
    "/": "/",
}


def keys_after_end(reprise, folder, columns, rows):
    """Presses each key of a run that has failed and stays on the screen."""
    with open(os.path.join(folder, "bad.yaml"), "w", encoding="utf-8") as file:
        file.write(WORKFLOWS["bad"])
    with Session(
            surrounded(f"{reprise} run ./bad.yaml", 3), columns, rows, folder,
            checks=[FrameChecks("bad")]) as run:
        run.see("r resume")
        for label, text in AFTER_END.items():
            run.press(label)
            # Long questions are wrapped.
            run.wait(
                lambda run, text=text: squeezed(text) in squeezed("".join(run.screen.rows)), text)
            # Back to the tree: no question, no pane, no help.
            back = {"T": ["q"], "Enter": ["Esc"], "g": ["g"], "t": ["t"], "/": ["Esc"]}
            run.press(*back.get(label, ["n"])).see_no("y/n", "RUN  ")
            run.wait(
                lambda run: not run.screen.is_alternate and "/" not in run.screen.rows,
                "the end of what the key did")
            run.see("r resume")
        run.press("q")
        check_end(run, 3, 1)
        return f"{len(AFTER_END)} keys"


def left_run(reprise, folder):
    """Leaves a run with `q`, and finds it again from the next command of the same terminal."""
    with open(os.path.join(folder, "long.yaml"), "w", encoding="utf-8") as file:
        file.write(WORKFLOWS["long"])
    command = f"{reprise} run ./long.yaml; echo left $?; {reprise} attach @last; echo seen $?"
    with Session(command, 80, 24, folder) as run:
        run.see("begun").press("q").see("in the background?").press("y")
        run.see("left 0", "running in the background; show it with: reprise attach")
        run.see("? help").press("c").see("cancel the run?").press("y").see("seen 130")
        return "found again"
