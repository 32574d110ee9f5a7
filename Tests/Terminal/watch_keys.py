# The tests of the keys of a watch.

import os

from checks import FrameChecks, check_end, surrounded
from keys import TESTS, key
from session import Session

WATCH = """name: seen
on: { socket: true }
steps: [{ id: build, run: "echo build >> ran" }]
"""


@key("watch", "T")
def start_run(watch, label):
    before = watch.read("ran").count("build")
    watch.press(label)
    watch.wait(lambda watch: watch.read("ran").count("build") == before + 1, "a run")
    watch.see(f"{before + 1} run", "waiting for:")


@key("watch", "P")
def pause(watch, label):
    before = watch.read("ran").count("build")
    watch.press(label).see("paused")
    watch.press("T").see("1 waiting (manual)")
    watch.expect(watch.read("ran").count("build") == before, "a run has started")
    watch.press(label).see_no("paused")
    watch.wait(lambda watch: watch.read("ran").count("build") == before + 1, "the run")
    watch.see("waiting for:")


def all_watch_keys(reprise, folder, columns, rows):
    """Presses the keys of a watch, twice."""
    with open(os.path.join(folder, "seen.yaml"), "w", encoding="utf-8") as file:
        file.write(WATCH)
    checks = FrameChecks("seen", allows_old_frames=True)
    # The shell leaves Ctrl-C to the watch.
    command = "trap : INT; " + surrounded(f"{reprise} watch ./seen.yaml", 3)
    with Session(command, columns, rows, folder, checks=[checks]) as watch:
        watch.see("waiting for:")
        for _ in range(2):
            for (place, label), test in TESTS.items():
                if place == "watch":
                    test(watch, label)
        watch.press("Ctrl-C")
        check_end(watch, 3, 130)
        return f"{checks.checked} frames"
