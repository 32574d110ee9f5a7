# The tests of the keys of the tree. Each begins and ends with no pane and no chosen step.

import os
import re

from checks import squeezed
from emulator import MOUSE_MODES
from keys import key
from tour import LINES, QUESTION


@key("tree", "↑", "k")
def choose_above(tour, label):
    # The first key chooses the step on which the others would act: the one that asks.
    tour.press(label).chooses("gate")
    tour.press(label).chooses("slow")
    tour.press(label).chooses("first")
    tour.press(label, label).chooses("first")


@key("tree", "↓", "j")
def choose_below(tour, label):
    tour.press(label).chooses("gate")
    tour.press(label).chooses("after-gate")
    tour.press(label).chooses("flaky")


@key("tree", "Home")
def choose_first(tour, label):
    tour.press("End").chooses(tour.last)
    tour.press(label).chooses("first")


@key("tree", "End")
def choose_last(tour, label):
    tour.press(label).chooses(tour.last)
    tour.press("↓").chooses(tour.last)


@key("tree", "Enter")
def read_log(tour, label):
    above = [row for row in tour.screen.all_rows if row.startswith("before")]
    tour.choose("first").press(label).in_pane().shows("first", "succeeded", f"line {LINES}")
    tour.press("Esc").in_tree().chooses("first")
    tour.expect(
        above == [row for row in tour.screen.all_rows if row.startswith("before")],
        "the log has left a trace")


@key("tree", "Esc")
def choose_none(tour, label):
    tour.choose("slow").press(label).chooses_none()
    tour.press("g").in_pane().press(label).in_tree()


@key("tree", "R")
def restart_step(tour, label):
    before = tour.counts()
    tour.choose("flaky")
    others = {5: "", 6: " and extra-00000, which needs it"}.get(
        tour.count, f" and the {tour.count - 5} steps that depend on it")
    tour.press(label).shows(f"restart flaky{others}?", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y").next_generation()
    tour.ran_again(before, "flaky")


@key("tree", "O")
def restart_service(tour, label):
    tour.choose("slow").press(label).shows("restart only slow; what uses it goes on?", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y").shows("not a service; restart from it instead")


@key("tree", "r")
def restart_run(tour, label):
    before = tour.counts()
    tour.press(label).shows("restart the whole run?", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y").next_generation()
    tour.ran_again(before, "first", "slow", "flaky")
    tour.shows(QUESTION)


@key("tree", "C")
def cancel_step(tour, label):
    before = tour.counts()
    tour.choose("slow").press(label).shows("cancel slow?", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y")
    tour.wait(lambda tour: "⊘ slow" in tour.text, "slow is cancelled")
    # The run goes on, and the step can be started again.
    tour.press("R").shows("restart slow").press("y").next_generation()
    tour.ran_again(before, "slow")


@key("tree", "D")
def count_as_succeeded(tour, label):
    set_by_hand(tour, label, "count slow as succeeded?", "✔")


@key("tree", "S")
def skip(tour, label):
    set_by_hand(tour, label, "skip slow?", "○")


def set_by_hand(tour, label, question, glyph):
    """Sets the result of a running step, and starts it again."""
    before = tour.counts()
    tour.choose("slow").press(label).shows(question, "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y")
    tour.wait(lambda tour: f"{glyph} slow" in tour.text, f"{glyph} slow")
    tour.generation = max([tour.generation] + [
        int(number) for number in re.findall(r"generation (\d+)", tour.text)])
    tour.press("R").shows("restart slow").press("y").next_generation()
    tour.ran_again(before, "slow")


@key("tree", "p")
def pause(tour, label):
    tour.press(label).shows("pause the run", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y").shows("tour", "paused")
    tour.press(label).shows_no("paused")


@key("tree", "c")
def cancel_run(tour, label):
    """Twice, since it ends the run: the step ignores the signal."""
    tour.press(label).shows("cancel the run?", "y/n")
    tour.press("n").shows("nothing was done")
    with open(os.path.join(tour.folder, "stubborn"), "w", encoding="utf-8"):
        pass
    tour.press(label).shows("y/n").press("y").shows("cancelling", "slow", "killed in")
    tour.press("r").shows("can no longer be restarted")
    tour.press(label).shows("kill all processes of the run at once?", "y/n").press("y")
    tour.finish()


@key("tree", "a")
def approve(tour, label):
    before = tour.counts()
    tour.press(label).shows(f"approve gate: {QUESTION}", "y/n")
    tour.press("n").shows("nothing was done")
    tour.expect(tour.counts() == before, "something was started without an answer")
    tour.press(label).shows("y/n").press("y").ran_again(before, "after-gate")
    tour.shows_no("a approve")
    tour.press(label).shows("no step waits for approval")
    ask_again(tour)


@key("tree", "x")
def reject(tour, label):
    before = tour.counts()
    tour.press(label).shows(f"reject gate: {QUESTION}", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("y/n").press("y").ran_again(before, "after-gate")
    tour.choose("gate").wait(lambda tour: "✖ gate" in tour.text, "gate has failed")
    tour.press("Esc").chooses_none()
    ask_again(tour)


def ask_again(tour):
    """Restarts the step that asks."""
    tour.choose("gate").press("R").shows("restart gate").press("y").next_generation()
    tour.press("Esc").chooses_none().shows("a approve gate")


@key("tree", "u")
def reload(tour, label):
    before = tour.counts()
    tour.press(label).shows("no step has changed: the run goes on").press("n")
    tour.expect("y/n" not in tour.text, "a reload without changes asks")
    change(tour, "attempt $REPRISE_ATTEMPT", "try $REPRISE_ATTEMPT")
    tour.press(label).shows("flaky", "reload?", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press(label).shows("reload?").press("y").next_generation()
    tour.ran_again(before, "flaky")
    change(tour, "try $REPRISE_ATTEMPT", "attempt $REPRISE_ATTEMPT")
    tour.press(label).shows("reload?").press("y").next_generation()


def change(tour, old, new):
    path = os.path.join(tour.folder, "tour.yaml")
    text = tour.read("tour.yaml")
    tour.expect(old in text, f"{old!r} is not in the workflow")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


@key("tree", "e")
def edit(tour, label):
    line = 1 + tour.read("tour.yaml").split("\n").index(
        next(row for row in tour.read("tour.yaml").split("\n") if "id: flaky" in row))
    tour.choose("flaky").press(label)
    tour.wait(lambda tour: tour.read("edited"), "the editor")
    arguments = tour.read("edited").split()
    tour.expect(arguments[0] == f"+{line}", f"the editor got {arguments}, not +{line}")
    tour.expect(arguments[1].endswith("tour.yaml"), f"the editor got {arguments}")
    tour.in_tree().press("Home").chooses("first")


@key("tree", "v")
def open_pager(tour, label):
    tour.choose("first").press(label).shows("pager of", f"line {LINES}")
    tour.press("Enter").in_tree().chooses("first")
    tour.press("End").chooses(tour.last)


@key("tree", "s")
def stream(tour, label):
    tour.frame_checks.is_streaming = True
    tour.press(label).shows_no("tour  run", "tour  generation")
    expected = [f"line {number + 1}" for number in range(LINES)]

    def streamed(tour):
        rows = tour.screen.all_rows
        return [row.split("│ ")[1] for row in rows if re.search(r"first +│ line", row)]
    # What was written before is not printed again, but its end, and how much there is above.
    tour.wait(
        lambda tour: "linesabove;thelogshavethem" in squeezed(tour.all_text), "the lines above")
    count = len(streamed(tour))
    tour.expect(count < LINES, "all lines are printed again")
    # A generation prints its lines once, in order.
    tour.press("r").shows("restart the whole run?").press("y")
    tour.generation += 1
    tour.wait(lambda tour: len(streamed(tour)) >= count + LINES, "the lines of the restart")
    tour.shows("a approve gate")
    tour.expect(streamed(tour)[count:] == expected, "lines are lost or repeated")
    tour.press(label).shows(f"generation {tour.generation}")
    tour.frame_checks.is_streaming = False


@key("tree", "l")
def last_lines(tour, label):
    tour.choose("slow").wait(lambda tour: "begun" in tour.row("slow")[1], "its last line")
    tour.press(label).wait(lambda tour: "begun" not in tour.row("slow")[1], "no last line")
    tour.press(label).wait(lambda tour: "begun" in tour.row("slow")[1], "its last line")


@key("tree", "g")
def graph(tour, label):
    tour.choose("slow").press(label).in_pane().shows("tour", f"graph: {tour.count} steps", "slow")
    tour.expect(len(tour.marked) == 0, "the tree is still there")
    tour.shows("❯ ")
    tour.press("Enter").shows("begun").press("Esc").in_tree()
    tour.press(label).in_pane().press(label).in_tree()


@key("tree", "t")
def timeline(tour, label):
    tour.choose("slow").press(label).in_pane()
    # Each generation has a row for it.
    tour.wait(lambda tour: tour.marked and " slow " in tour.marked[-1], "slow is marked")
    tour.expect("▶" in tour.marked[-1], "slow is not shown as running")
    tour.press("↑").wait(
        lambda tour: tour.marked and " first " in tour.marked[-1], "first is marked")
    tour.press(label).in_tree()
    tour.press(label).in_pane().press("Esc").in_tree()


@key("tree", "m")
def mouse(tour, label):
    clicks = set(MOUSE_MODES[:2])
    tour.choose("slow").press(label)
    tour.wait(lambda tour: clicks <= tour.screen.private_modes, "the modes of the mouse")
    tour.press("Home").chooses("first")
    if tour.row("slow"):
        row = tour.row("slow")[0] + 1
        tour.press(f"\x1b[<0;6;{row}M\x1b[<0;6;{row}m").chooses("slow")
    else:
        tour.press("↓").chooses("slow")
    tour.press("\x1b[<64;6;2M").chooses("first")
    tour.press("\x1b[<65;6;2M").chooses("slow")
    tour.press(label)
    tour.wait(lambda tour: not clicks & tour.screen.private_modes, "the end of these modes")


@key("tree", "?")
def show_help(tour, label):
    help_of(tour, label, [
        "choose the step above", "restart from it", "cancel the run; twice: kill",
        "last lines on or off", "quit, or leave the run alone"])


def help_of(tour, label, texts):
    """Finds texts on the pages of the help, in their order, and closes it."""
    texts, page = list(texts), ""
    tour.press(label).wait(lambda tour: texts[0] in tour.text, "the first page")
    while True:
        texts = [text for text in texts if text not in tour.text]
        page = next((row for row in tour.screen.rows if row.startswith("page ")), "")
        tour.press(label)
        if "more keys" not in page:
            break
        tour.shows_no(page)
    tour.expect(not texts, f"not in the help: {texts}")
    tour.shows_no(page or "this help" if not tour.screen.is_alternate else "the first error")


@key("tree", "q")
def leave_run(tour, label):
    """Asks; that the run goes on is a test of its own, since it ends the display."""
    tour.press(label).shows("leave the run in the background?", "y/n")
    tour.press("n").shows("nothing was done")
    tour.press("Home").chooses("first").shows_no("nothing was done")


@key("tree", "PgUp", "PgDn")
def move_by_windows(tour, label):
    first, last = ("first", tour.last) if label == "PgDn" else (tour.last, "first")
    tour.press("Home" if label == "PgDn" else "End").chooses(first)
    moves = 0
    while f" {last} " not in "".join(tour.marked) + " ":
        before = tour.marked
        tour.press(label).wait(lambda tour: tour.marked != before, "another step is marked")
        moves += 1
        tour.expect(moves <= tour.count, "the other end is never reached")
        if moves > 30:
            return
    tour.expect(moves < tour.count or tour.screen.lines < 12, f"{moves} moves are not windows")


@key("tree", "/", "n", "N")
def find_steps(tour, label):
    tour.press("/").shows("/").press(*"a")
    # The first step with an "a" in its name, in the order of the file.
    tour.chooses("gate").press("Enter").chooses("gate")
    tour.press("n").chooses("after-gate").press("n").chooses("flaky").press("N").chooses("after-gate")
    tour.press("/").press(*"nowhere").shows("no step has this in its name")
    tour.press("Esc").chooses("after-gate")


@key("tree", "T")
def list_runs(tour, label):
    tour.press(label).in_pane().see("RUN", "tour")
    tour.press("q").in_tree().press("Home").chooses("first")
