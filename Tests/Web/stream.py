# The stream: nothing is missing in it, nothing comes twice, whatever happens to the connection.

import collections
import os
import signal
import threading
import time

from project import Project, check, eventually, expect, expect_equal, with_page

STEPS = 500
MANY = ("name: many\nmax-parallel: 4\nsteps:\n  - { id: s, needs: [], "
        f"foreach: {list(range(STEPS))}, run: 'sleep 0.02' }}\n")
TALK = """
name: talk
steps:
  - id: talk
    run: for i in 1 2 3 4 5; do echo "line $i"; echo "progress $((i * 20)) part $i" >> $REPRISE_PROGRESS; sleep 0.3; done
"""


def collect(own, page, run, events, mark, is_over):
    """Reads messages until the run is over or the connection ends; returns the last mark."""
    try:
        for name, last, data in page.messages("/api/events", mark):
            if name != "run" or data["run"] != run:
                continue
            expect_equal("the number of events", data["number"], len(events) + len(data["events"]))
            events += data["events"]
            mark = last
            if events[-1]["event"] == "run-ended":
                is_over.set()
                break
    except OSError:
        pass
    return mark


@check
def nothing_is_missing_when_the_server_is_killed(reprise):
    """Kills it while 500 steps run, and goes on with another one from the last mark."""
    with Project(reprise, {"many": MANY}) as own:
        page = own.serve()
        page.session()
        run = own.run("many")
        events, mark, servers, is_over = [], f"{run}:0", 1, threading.Event()
        while not is_over.is_set():
            timer = None
            if servers < 6:
                timer = threading.Timer(0.4, os.kill, (page.process.pid, signal.SIGKILL))
                timer.start()
            mark = collect(own, page, run, events, mark, is_over)
            if timer:
                timer.cancel()
            if not is_over.is_set():
                page.process.wait()
                page = own.serve()
                page.session()
                servers += 1
        expect(servers >= 4, "at least three kills", servers - 1)
        counted = collections.Counter(event["event"] for event in events)
        expect_equal("ends of steps", counted["step-succeeded"], STEPS)
        expect_equal("starts of steps", counted["step-started"], STEPS)
        expect_equal("kinds and steps in the journal",
                     [event["event"] for event in events],
                     [kind for kind, _, _ in own.recorded(run)])
        return f"{len(events)} events over {servers} servers"


@with_page({"many": MANY})
def messages_are_few_and_whole(own, page):
    """At most 20 a second, each with all events since the one before."""
    run = own.run("many")
    began, count, events = time.monotonic(), 0, []
    for name, _, data in page.messages(f"/api/events?run={run}:0"):
        if name != "run":
            continue
        count += 1
        events += data["events"]
        expect_equal("the number", data["number"], len(events))
        if events[-1]["event"] == "run-ended":
            break
    rate = count / (time.monotonic() - began)
    expect(rate <= 22, "at most 20 messages a second", f"{rate:.1f}")
    expect(len(events) > 2 * STEPS, "all events", len(events))
    return f"{count} messages for {len(events)} events, {rate:.1f} a second"


@with_page({"talk": TALK})
def output_and_progress_come_while_a_step_runs(own, page):
    run = own.run("talk")
    sizes, parts = [], []
    for name, _, data in page.messages(f"/api/events?run={run}:0"):
        if name == "output":
            sizes.append(data["steps"]["talk"]["size"])
        if name == "progress":
            parts += [step["part"] for step in data["steps"].values()]
        if name == "run" and data["phase"] == "ended":
            break
    expect(len(sizes) >= 3 and sizes == sorted(sizes), "sizes that grow", sizes)
    expect(len(parts) >= 3 and parts == sorted(parts), "progress that grows", parts)


@with_page({"many": MANY})
def positions_that_are_wrong_are_refused_or_reset(own, page):
    run = own.run("many")
    for mark in ("!:1", f"{run}:x", f"{run}:-1", f"{run}:0,!:1",
                 ",".join(f"{number:010d}:0" for number in range(40))):
        expect_equal(f"for {mark[:20]!r} the status", page.get(f"/api/events?run={mark}").status,
                     400)
    # A position that is ahead of the run: as if the journal had been replaced.
    for name, _, data in page.messages(f"/api/events?run={run}:99999"):
        if name == "reset":
            expect_equal("the run", data["run"], run)
            break
        expect(name != "run", "a reset first", (name, data))
    own.ended(run, "succeeded", 90)


@with_page({"many": MANY, "talk": TALK})
def many_readers_see_the_same(own, page):
    """Ten readers at once, each of which has all events in the end."""
    run = own.run("many")
    seen, readers = [[] for _ in range(10)], []
    for events in seen:
        is_over = threading.Event()
        reader = threading.Thread(target=collect,
                                  args=(own, page, run, events, f"{run}:0", is_over))
        reader.start()
        readers.append(reader)
    for reader in readers:
        reader.join(120)
    expect_equal("readers that are done", [reader.is_alive() for reader in readers], [False] * 10)
    eventually("the number", lambda: page.read(f"/api/runs/{run}")["number"] == len(seen[0]))
    for events in seen:
        expect(events == seen[0], "the same events", (len(events), len(seen[0])))
