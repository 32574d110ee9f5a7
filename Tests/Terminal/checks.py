# What must hold in every frame, and after the end, whatever the test does.

import re

from emulator import MOUSE_MODES, PASTE_BRACKETS
from session import Failed

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CLOCK = r"(?:\d+\.\d|\d+)s|(?:\d+:)?\d+:\d\d"
SUMMARY = re.compile(r"\d+ of \d+ done")


def squeezed(text):
    """A text without blanks, to compare what may be wrapped."""
    return re.sub(r"\s", "", text)


def seconds(clock):
    """The seconds of a text such as `8.1s`, `1:02` or `1:02:03`."""
    result = 0.0
    for part in clock.rstrip("s").split(":"):
        result = 60 * result + float(part)
    return result


class FrameChecks:
    """Checks each frame of the display of a run.

    - name: the name of the workflow, with which the first row of the tree begins
    - question: the text of the approval in the workflow
    """

    def __init__(self, name, question=None, allows_old_frames=False):
        # Whether earlier frames may be above: those of earlier runs of a watch.
        self.allows_old_frames = allows_old_frames
        self.header = re.compile(re.escape(name) + r"(  |$)")
        self.question = squeezed(question or "")
        # Streamed lines may be wider than the window; the terminal wraps them.
        self.is_streaming = False
        self.checked = 0
        # The largest difference between the clocks of steps named twin-*, in one frame.
        self.clock_difference = 0.0

    def __call__(self, session):
        self.checked += 1
        screen = session.screen
        if session.changed_frames > 0:
            # It may have been drawn before the change of the size.
            session.changed_frames -= 1
            return
        if screen.wrapped_in_frame and not self.is_streaming:
            raise Failed(session, "a row is wider than the terminal")
        if screen.is_alternate:
            self.check_pane(session)
        else:
            self.check_tree(session)

    def check_pane(self, session):
        screen = session.screen
        session.expect(screen.cursor.hidden, "the cursor is visible in a pane")
        session.expect(screen.text(0), "the first row of a pane is empty")

    def check_tree(self, session):
        screen = session.screen
        rows = screen.rows
        end = screen.cursor.y
        session.expect(screen.cursor.hidden, "the cursor is visible in the display")
        session.expect(screen.cursor.x == 0, "the cursor is not at the left")
        session.expect(not any(rows[end:]), "something is left below the display")
        if end == 0:
            return
        session.expect(rows[end - 1], "the last row of the display is empty")
        headers = [number for number, row in enumerate(rows) if self.header.match(row)]
        if not headers:
            session.expect(
                self.is_streaming or session.screen.lines < 5 or not any(SPINNER_ROW.match(row) for row in rows),
                "the first row of the display is not on the screen")
            return
        session.expect(
            len(headers) == 1 or self.allows_old_frames, "an old frame is on the screen")
        self.check_rows(session, rows[headers[-1]:end])

    def check_rows(self, session, rows):
        if rows[0].endswith(("waiting for:", "paused")):
            return
        if session.screen.columns >= 40:
            self.check_times(session, rows)
        shown = squeezed("".join(rows))
        if self.question and any(row.startswith("a approve ") for row in rows):
            session.expect(self.question in shown, "the question of the approval is not shown")

    def check_times(self, session, rows):
        summary = [row for row in rows if SUMMARY.search(row)]
        session.expect(
            len(summary) == 1 or "y/n" in rows[-1] or "y/n" in rows[-2:][0], "no summary is shown")
        for row in summary:
            session.expect(
                re.search(r"(" + CLOCK + r")(   run \w+)?$", row), f"the time is cut: {row!r}")
        twins = []
        for row in rows:
            if not SPINNER_ROW.match(row):
                continue
            clock = SPINNER_ROW.match(row).group("clock")
            session.expect(clock, f"a running step has no time: {row!r}")
            if "twin-" in row:
                twins.append(seconds(clock))
        if twins:
            self.clock_difference = max(self.clock_difference, max(twins) - min(twins))


SPINNER_ROW = re.compile(
    r"^(?:❯ |  )[├└│┌ ]*[" + SPINNER + r"] \S+(?: \S+)* +(?P<clock>" + CLOCK + r")?")


def check_end(session, before, status):
    """Checks what a display has left behind at its end.

    - before: the number of lines that were printed before it, as `before 1` and so on
    - status: the expected exit status of the command, which the shell has printed
    """
    session.end()
    screen = session.screen
    session.expect(not screen.is_alternate, "the alternate screen is not left")
    session.expect(not screen.cursor.hidden, "the cursor is not shown again")
    modes = screen.private_modes & {PASTE_BRACKETS, *MOUSE_MODES}
    session.expect(not modes, f"modes of the terminal are left: {modes}")
    session.expect(
        session.read("settings-before") == session.read("settings-after") != "",
        "the settings of the terminal are not restored")
    rows = screen.all_rows
    printed = [row for row in rows if row.startswith("before ")]
    session.expect(
        printed == [f"before {number + 1}" for number in range(before)],
        "the scrollback is not intact")
    session.expect(f"status {status}" in rows, f"the status is not {status}")


def surrounded(command, before):
    """A command line with lines before it, and its status after it."""
    return (
        f"stty -g > settings-before; for n in $(seq {before}); do echo before $n; done; "
        f'{command}; echo "status $?"; stty -g > settings-after')
