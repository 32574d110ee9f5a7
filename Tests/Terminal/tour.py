# A run in which each key has something to do, and what the tests of keys have in common.

import os
import re
import time

from checks import FrameChecks, check_end, squeezed, surrounded
from session import Failed, Session

QUESTION = "Ship version 7 to all customers now?"
LINES = 400
BEFORE = 30

FIRST = f"""echo first@$REPRISE_GENERATION >> ran
i=0; while [ $i -lt {LINES // 2} ]; do i=$((i+1)); echo "line $i"; done
echo 'error: planted'; printf 'long %0300d end\\n' 7
while [ $i -lt {LINES} ]; do i=$((i+1)); echo "line $i"; done"""
SLOW = """echo slow@$REPRISE_GENERATION >> ran; echo begun
trap 'test -e stubborn || exit 143' TERM
while :; do sleep 1000 & wait $! || :; done"""


def block(text, indent):
    """A text as a block of YAML."""
    return "|\n" + "\n".join(" " * indent + line for line in text.split("\n"))


def workflow(count):
    """A workflow of a number of steps, most of which wait for a slow one."""
    extras = "".join(
        f"  - {{ id: extra-{number:05}, run: ':' }}\n" for number in range(count - 5))
    return f"""name: tour
grace: 60s
steps:
  - id: first
    run: {block(FIRST, 6)}
  - parallel:
      - id: slow
        run: {block(SLOW, 10)}
      - steps:
          - {{ id: gate, approval: "{QUESTION}", continue-on-error: true }}
          - {{ id: after-gate, run: "echo after-gate@$REPRISE_GENERATION >> ran" }}
      - id: flaky
        retry: {{ limit: 1, delay: 10ms }}
        continue-on-error: true
        run: "echo flaky@$REPRISE_GENERATION >> ran; echo attempt $REPRISE_ATTEMPT; exit 3"
{extras}"""


class Tour(Session):
    """The run on a terminal of a size."""

    def __init__(self, reprise, folder, count, columns, rows):
        self.count = count
        self.last = f"extra-{count - 6:05}" if count > 5 else "flaky"
        self.frame_checks = FrameChecks("tour", QUESTION)
        self.generation = 1
        # The seconds from each key to the frame that shows what it does.
        self.delays = []
        with open(os.path.join(folder, "tour.yaml"), "w", encoding="utf-8") as file:
            file.write(workflow(count))
        for name, text in [("pager", PAGER), ("editor", EDITOR)]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(file.name, 0o755)
        super().__init__(
            surrounded(f"{reprise} run ./tour.yaml", BEFORE), columns, rows, folder,
            checks=[self.frame_checks],
            environment={"PAGER": "./pager", "EDITOR": "./editor"})
        self.wait(lambda tour: tour.attempts("flaky") == 2, "both attempts of flaky")
        self.see("a approve gate")

    # What a person sees and does

    def press(self, *names):
        """Presses keys one after the other."""
        self.pressed_at = time.monotonic()
        return super().press(*names)

    def shows(self, *texts):
        """Waits until texts are shown, even if they are wrapped, and records how long it takes."""
        def all_shown(tour):
            shown = squeezed("".join(tour.screen.rows))
            return all(squeezed(text) in shown for text in texts)
        self.wait(all_shown, " and ".join(repr(text) for text in texts))
        self.delays.append((time.monotonic() - self.pressed_at, texts))
        return self

    def shows_no(self, *texts):
        def none_shown(tour):
            shown = squeezed("".join(tour.screen.rows))
            return not any(squeezed(text) in shown for text in texts)
        self.wait(none_shown, "the end of " + " and ".join(texts))
        return self

    @property
    def marked(self):
        """The rows that are marked as chosen."""
        return [row for row in self.screen.rows if row.startswith("❯ ")]

    def chooses(self, step):
        """Waits until exactly one row is marked, that of a step."""
        def is_marked(tour):
            return len(tour.marked) == 1 and f" {step} " in tour.marked[0] + " "
        self.wait(is_marked, f"the mark at {step}")
        self.delays.append((time.monotonic() - self.pressed_at, step))
        return self

    def chooses_none(self):
        self.wait(lambda tour: not tour.marked, "no mark")
        return self

    def choose(self, step):
        """Chooses one of the first steps with keys."""
        order = ["first", "slow", "gate", "after-gate", "flaky"]
        self.press("Home").chooses("first")
        for name in order[1:order.index(step) + 1]:
            self.press("↓").chooses(name)
        return self

    def in_pane(self):
        self.wait(lambda tour: tour.screen.is_alternate, "the alternate screen")
        return self

    def in_tree(self):
        self.wait(lambda tour: not tour.screen.is_alternate, "the end of the alternate screen")
        return self.shows("tour", "of")

    def to_base(self):
        """Leaves everything: no pane, no choice."""
        for _ in range(3):
            if self.screen.is_alternate:
                self.press("Esc").in_tree()
        if self.marked:
            self.press("Esc").chooses_none()
        return self.in_tree()

    def open_log(self, step):
        self.choose(step).press("Enter").in_pane().shows(step, "Esc" if self.wide else "line ")
        return self

    @property
    def wide(self):
        return self.screen.columns >= 80

    def row(self, step):
        """The number and text of the row of a step in the tree; None if it is not shown."""
        for number, row in enumerate(self.screen.rows):
            if re.match(r"(❯ |  )[├└│┌ ]*\S " + re.escape(step) + r"( |$)", row):
                return number, row
        return None

    # What has happened

    def ran(self, step):
        """The number of generations in which a step was started."""
        return len({word for word in self.read("ran").split() if word.startswith(step + "@")})

    def attempts(self, step):
        """How often a step was started."""
        return self.read("ran").count(step + "@")

    def counts(self):
        return {step: self.ran(step) for step in ("first", "slow", "flaky", "after-gate")}

    def ran_again(self, before, *steps):
        """Waits until exactly some steps have been started again."""
        def is_so(tour):
            now = tour.counts()
            return all(now[step] > before[step] for step in steps)
        self.wait(is_so, f"another start of {steps}")
        others = [step for step in before if step not in steps]
        now = self.counts()
        self.expect(
            all(now[step] == before[step] for step in others), f"{before} became {now}")
        return self

    def next_generation(self):
        self.generation += 1
        return self.shows(f"generation {self.generation}")

    def finish(self):
        """Checks what the run leaves behind once it is cancelled."""
        check_end(self, BEFORE, 130)
        rows = [row for row in self.screen.all_rows if self.frame_checks.header.match(row)]
        if len(rows) != 1:
            raise Failed(self, f"old frames are in the scrollback: {rows}\n{self.all_text}")


PAGER = """#!/bin/sh
printf '\\033[?1049h\\033[2J\\033[Hpager of %s\\r\\n' "${1##*/}"
tail -n 1 "$1"
read -r answer
printf '\\033[?1049l'
"""

EDITOR = """#!/bin/sh
echo "$@" > edited
if [ -e edit ]; then sh ./edit "$2"; rm edit; fi
"""
