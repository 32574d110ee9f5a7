# The tests of the keys of a log. Each begins and ends with no pane and no chosen step.

import re

from keys import key
from tour import LINES
from tree_keys import help_of

# The lines of the first step: one more for the error, and one that is long.
COUNT = LINES + 2


def top(tour):
    """The number of the first line that is shown, from the last row."""
    match = re.match(r"line (\d+) of", tour.screen.rows[-1])
    tour.expect(match, "the last row has no line number")
    return int(match.group(1))


def scrolls(tour, label, condition, what):
    tour.press(label).wait(lambda tour: condition(top(tour)), what)


def lines(tour):
    """The numbers of the lines that are shown."""
    return [int(number) for number in re.findall(r"^line (\d+)$", tour.text, re.MULTILINE)]


def at_end(tour):
    return lines(tour)[-1:] == [LINES]


@key("log", "↑", "k")
def line_up(tour, label):
    tour.open_log("first").wait(at_end, "the last line")
    before = top(tour)
    scrolls(tour, label, lambda now: now == before - 1, "one line up")
    tour.expect(not at_end(tour), "the last line is still shown")


@key("log", "↓", "j")
def line_down(tour, label):
    tour.open_log("first").press("Home").wait(lambda tour: top(tour) == 1, "the beginning")
    scrolls(tour, label, lambda now: now == 2, "one line down")


@key("log", "PgUp", "b")
def page_up(tour, label):
    tour.open_log("first").wait(at_end, "the last line")
    before = lines(tour)[0]
    tour.press(label)
    # One row is shown again.
    tour.wait(lambda tour: lines(tour) and lines(tour)[-1] <= before, "a window up")
    tour.expect(lines(tour)[-1] >= before - 1, "lines are left out")


@key("log", "PgDn", "Space")
def page_down(tour, label):
    tour.open_log("first").press("Home").wait(lambda tour: top(tour) == 1, "the beginning")
    before = lines(tour)[-1]
    tour.press(label)
    tour.wait(lambda tour: lines(tour)[0] >= before, "a window down")
    tour.expect(lines(tour)[0] <= before + 1, "lines are left out")


@key("log", "Home", "g")
def beginning(tour, label):
    tour.open_log("first").press(label).wait(lambda tour: lines(tour)[:1] == [1], "the first line")


@key("log", "End", "G")
def end(tour, label):
    tour.open_log("first").press("Home").wait(lambda tour: top(tour) == 1, "the beginning")
    tour.press(label).wait(at_end, "the last line")


@key("log", "f")
def follow(tour, label):
    tour.open_log("first").wait(lambda tour: "following" in tour.text, "that it follows")
    tour.press(label).shows_no("following")
    tour.press(label).wait(lambda tour: "following" in tour.text, "that it follows again")


@key("log", "w")
def wrap(tour, label):
    tour.open_log("first").press("/").type("long 0\r")
    tour.wait(lambda tour: "long 000" in tour.text, "the long line")

    def rows(tour):
        return len([row for row in tour.screen.rows if re.fullmatch(r"0*7 end|(long )?0+.*", row)])
    wrapped = rows(tour)
    tour.expect(wrapped > 1, "the long line is not wrapped")
    tour.press(label).wait(lambda tour: rows(tour) == 1 and "…" in tour.text, "a cut line")
    tour.press(label).wait(lambda tour: rows(tour) == wrapped, "a wrapped line")


@key("log", "/")
def search(tour, label):
    tour.open_log("first").press(label).type("LINE 77")
    tour.wait(lambda tour: tour.screen.rows[-1].startswith("/LINE 77"), "the text")
    tour.press("Backspace").wait(lambda tour: tour.screen.rows[-1] == "/LINE 7", "one less")
    # A text with capitals finds only capitals.
    tour.press("Enter").shows("not found")
    tour.press(label).type("line 77\r")
    tour.wait(lambda tour: 77 in lines(tour), "the match")
    row = next(number for number, row in enumerate(tour.screen.rows) if row == "line 77")
    tour.expect(tour.screen.buffer[row][0].reverse, "the match is not marked")
    tour.press(label).press("Esc").wait(lambda tour: top(tour) > 1, "the log")
    tour.expect(tour.screen.is_alternate, "Esc has closed more than the search")


def matched(tour):
    """The line that is marked as the last match."""
    rows = [row for number, row in enumerate(tour.screen.rows)
            if tour.screen.buffer[number][0].reverse]
    return rows[0] if rows else None


@key("log", "n")
def next_match(tour, label):
    tour.open_log("first").press("Home").wait(lambda tour: top(tour) == 1, "the beginning")
    tour.press("/").type("line 11\r")
    for line in ("line 11", "line 110", "line 111"):
        tour.wait(lambda tour, line=line: matched(tour) == line, line)
        tour.press(label)


@key("log", "N")
def previous_match(tour, label):
    tour.open_log("first").press("Home").wait(lambda tour: top(tour) == 1, "the beginning")
    tour.press("/").type("line 112\r")
    tour.wait(lambda tour: matched(tour) == "line 112", "the match")
    tour.press("/").type("line 11\r")
    tour.wait(lambda tour: matched(tour) != "line 112", "another match")
    for line in ("line 111", "line 110", "line 11"):
        while matched(tour) != line:
            before = matched(tour)
            tour.press(label).wait(lambda tour: matched(tour) != before, f"before {before}")
            tour.expect(len(matched(tour)) <= len("line 119"), "it goes down")


@key("log", "E")
def first_error(tour, label):
    tour.open_log("first").press(label)
    tour.wait(lambda tour: matched(tour) == "error: planted", "the error")


def shown_attempt(tour):
    """The attempt whose log is shown; the step prints it."""
    match = re.fullmatch(r"(?:attempt|try) (\d)", tour.screen.rows[1])
    return match and int(match.group(1))


def shows_log(tour, number, count):
    tour.wait(
        lambda tour: f"({number} of {count})" in tour.screen.rows[0] and shown_attempt(tour),
        f"log {number} of {count}")


@key("log", "[", "←")
def attempt_before(tour, label):
    count = tour.attempts("flaky")
    tour.open_log("flaky")
    for number in range(count, 1, -1):
        shows_log(tour, number, count)
        tour.press(label)
    shows_log(tour, 1, count)
    tour.expect(shown_attempt(tour) == 1, "it is not the first attempt")
    tour.press(label).shows("this is the first")


@key("log", "]", "→")
def next_attempt(tour, label):
    count = tour.attempts("flaky")
    tour.open_log("flaky").press("[")
    shows_log(tour, count - 1, count)
    tour.press(label)
    shows_log(tour, count, count)
    tour.press(label).shows("this is the last")


@key("log", "Esc", "q")
def close(tour, label):
    tour.open_log("slow").press(label).in_tree().chooses("slow")


def help_in_log(tour):
    """The help of a log has its keys."""
    tour.open_log("first")
    help_of(tour, "?", ["scroll up", "wrap or cut long lines", "the first error", "close the log"])
    tour.press("Esc").in_tree()
