# Windows that change their size while something runs.

import os
import random
import re

from checks import FrameChecks, check_end, surrounded
from session import Failed, Session

BUSY = """name: busy
grace: 1s
steps:
  - parallel:
      - {{ id: twin-one, run: "{counting}" }}
      - {{ id: twin-two, run: "{counting}" }}
      - steps:
          - {{ id: inner-one, run: "sleep 0.2" }}
          - {{ id: inner-two, run: "{counting}" }}
      - {{ id: broken, run: "echo it broke; exit 1", continue-on-error: true }}
  - {{ id: after, run: "true" }}
"""
# Ends when the file `stop` exists.
COUNTING = (
    "i=0; until [ -e stop ]; do i=$((i+1)); echo tick $i of a line that is rather long; "
    "sleep 0.05; done")


def busy(reprise, folder, columns, rows, checks):
    with open(os.path.join(folder, "busy.yaml"), "w", encoding="utf-8") as file:
        file.write(BUSY.format(counting=COUNTING))
    return Session(
        surrounded(f"{reprise} run ./busy.yaml", 8), columns, rows, folder, checks=[checks])


def stop(session):
    with open(os.path.join(session.folder, "stop"), "w", encoding="utf-8"):
        pass


def resizes(reprise, folder, rewraps, with_pane):
    """Changes the size 40 times while steps print, in the tree or with a log open.

    The sizes have enough rows for the tree: rows that a terminal scrolls out because the window
    becomes too low for them cannot be taken back by any program.
    """
    checks = FrameChecks("busy")
    sizes = random.Random(7)
    with busy(reprise, folder, 80, 24, checks) as session:
        session.see("inner-two", "tick")
        if with_pane:
            session.press("Home").see("❯ ").press("Enter")
            session.wait(lambda session: session.screen.is_alternate, "the log")
        for _ in range(40):
            columns = sizes.randint(40, 200) if rewraps else sizes.randint(80, 200)
            session.resize(columns, sizes.randint(22, 60), rewraps)
            frame = len(session.frames)
            session.wait(lambda session: len(session.frames) > frame + 1, "frames of the new size")
        if with_pane:
            session.press("Esc")
            session.wait(lambda session: not session.screen.is_alternate, "the tree")
            session.see("twin-one")
        stop(session)
        check_end(session, 8, 0)
        frames = [row for row in session.screen.all_rows if re.match(r"busy(  |$)", row)]
        if len(frames) != 1:
            raise Failed(session, f"old frames in the scrollback: {frames}\n{session.all_text}")
        return f"{checks.checked} frames"


def low_windows(reprise, folder):
    """Changes between sizes too low for the tree: at most what the terminal has scrolled out stays."""
    checks = FrameChecks("busy", allows_old_frames=True)
    with busy(reprise, folder, 80, 24, checks) as session:
        session.see("inner-two", "tick")
        count, width = 0, 80
        for columns, rows in [(40, 10), (20, 4), (80, 24), (10, 3), (200, 60), (40, 10)] * 3:
            count += rows < session.screen.cursor.y + 1
            # A window of ten columns has no room for the time.
            session.resize(columns, rows, moves=width > 10)
            width = columns
            frame = len(session.frames)
            session.wait(lambda session: len(session.frames) > frame, "a frame of the new size")
        session.resize(80, 24)
        session.see("twin-one", "twin-two")
        stop(session)
        session.end()
        left = len([row for row in session.screen.all_rows if re.match(r"busy(  |$)", row)]) - 1
        session.expect(left <= count, f"{left} old frames after {count} changes to a low window")
        session.expect(not session.screen.cursor.hidden, "the cursor is not shown again")
        return f"{checks.checked} frames, {left} cut frames in the scrollback"


def clocks(reprise, folder):
    """Steps that started together show the same time in every frame; nested lists have corners."""
    checks = FrameChecks("busy")
    with busy(reprise, folder, 80, 24, checks) as session:
        session.see("tick")
        rows = "\n".join(session.screen.rows)
        session.expect(
            re.search(r"├ ┌ \S inner-one.*\n  │ └ \S inner-two", rows), "a nested list has no corners")
        session.rest(12.5)
        stop(session)
        check_end(session, 8, 0)
        difference = checks.clock_difference
        session.expect(difference <= 0.1001, f"clocks differ by {difference:.1f} s in one frame")
        return f"{checks.checked} frames, clocks differ by at most {difference:.1f} s"
