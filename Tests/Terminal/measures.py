# Memory, frames and processor time of the display.

import os
import time

from checks import FrameChecks, check_end, surrounded
from session import Session

MEBIBYTE = 1 << 20
# The most resident memory of a process that follows a flood, in MiB; for a release build.
MEMORY_MAX = 64


def processes(session, reprise):
    """The processes of the command below a session."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parents[int(name)] = int(file.read().rsplit(") ", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass
    found = []
    for process in parents:
        ancestor = process
        while ancestor not in (0, 1, session.process):
            ancestor = parents.get(ancestor, 0)
        try:
            if ancestor == session.process and os.readlink(f"/proc/{process}/exe") == reprise:
                found.append(process)
        except OSError:
            pass
    return found


def memory_peak(session, reprise):
    """The most memory of any process of the command so far, in MiB."""
    peaks = []
    for process in processes(session, reprise):
        with open(f"/proc/{process}/status", encoding="utf-8") as file:
            peaks += [int(row.split()[1]) / 1024 for row in file if row.startswith("VmHWM")]
    return max(peaks)


def processor_time(session, reprise):
    """The processor time of the command so far, in seconds."""
    total = 0
    for process in processes(session, reprise):
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            total += sum(int(word) for word in file.read().rsplit(") ", 1)[1].split()[11:13])
    return total / os.sysconf("SC_CLK_TCK")


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def flood(reprise, folder):
    """A log follows a step that prints as fast as it can, to its last line.

    A release build gets 1 GB; a debug build, which is slow, 100 MB.
    """
    size = 1_000_000_000 if "/release/" in reprise else 100_000_000
    write(folder, "flood.yaml", f"""name: flood
steps:
  - id: flood
    run: |
      until [ -e go ]; do sleep 0.1; done
      yes 'a line of output that is as long as the lines of many compilers are' | head -c {size}
      echo; echo the very last line
""")
    checks = FrameChecks("flood")
    command = surrounded(f"{reprise} run ./flood.yaml --stay", 2)
    with Session(command, 100, 30, folder, checks=[checks]) as session:
        session.see("flood").press("Home").see("❯ ").press("Enter").see("Esc close")
        before = memory_peak(session, reprise)
        write(folder, "go", "")
        started = time.monotonic()
        session.wait(
            lambda session: "the very last line" in session.screen.rows[-3:-1], "the last line", 240)
        took = time.monotonic() - started
        session.see("succeeded")
        peak = memory_peak(session, reprise)
        session.press("Esc")
        session.wait(lambda session: not session.screen.is_alternate, "the tree")
        session.press("q")
        check_end(session, 2, 0)
        if "/release/" in reprise:
            session.expect(peak <= MEMORY_MAX, f"{peak:.1f} MiB were used")
        return (f"{size / took / 1e6:.0f} MB/s, at most {peak:.1f} MiB, {before:.1f} MiB before, "
                f"{checks.checked} frames")


def quiet(reprise, folder):
    """While nothing moves, nothing is written; while only the clock moves, one frame a second."""
    write(folder, "quiet.yaml", "name: quiet\nsteps: [{ id: gate, approval: 'Go on?' }]\n")
    checks = FrameChecks("quiet", "Go on?")
    command = surrounded(f"{reprise} run ./quiet.yaml --stay", 2)
    with Session(command, 80, 24, folder, checks=[checks]) as session:
        session.see("a approve gate")
        session.wait(lambda session: " 10s" in session.text or " 11s" in session.text, "ten seconds")
        frames, size = len(session.frames), session.bytes
        time_before = processor_time(session, reprise)
        session.rest(5)
        waiting = (len(session.frames) - frames, session.bytes - size)
        used = processor_time(session, reprise) - time_before
        session.expect(waiting[0] <= 6, f"{waiting[0]} frames in 5 s while a run waits")
        session.press("a").see("y/n").press("y").see("succeeded")
        session.rest(1)
        size, time_before = session.bytes, processor_time(session, reprise)
        session.rest(4)
        over = session.bytes - size
        idle = processor_time(session, reprise) - time_before
        session.expect(over == 0, f"{over} bytes were written after the end")
        session.press("q")
        check_end(session, 2, 0)
        return (f"waiting: {waiting[0]} frames and {waiting[1]} bytes in 5 s, {used:.2f} s of "
                f"processor time; after the end: {over} bytes and {idle:.2f} s in 4 s")


def busy(reprise, folder, count, prints):
    """At most ten frames a second, however much happens."""
    command = "while :; do echo line $((i+=1)); done" if prints else "sleep 60"
    steps = "".join(
        f"      - {{ id: s{number}, run: 'i=0; {command}' }}\n" for number in range(count))
    write(folder, "busy.yaml", f"name: busy\ngrace: 1s\nsteps:\n  - parallel:\n{steps}")
    checks = FrameChecks("busy")
    with Session(
            surrounded(f"{reprise} run ./busy.yaml", 2), 120, 50, folder, checks=[checks]) as session:
        session.see(f"{count} running")
        session.rest(1)
        frames, size = len(session.frames), session.bytes
        started, time_before = time.monotonic(), processor_time(session, reprise)
        session.rest(6)
        took = time.monotonic() - started
        rate = (len(session.frames) - frames) / took
        used = (processor_time(session, reprise) - time_before) / took
        written = (session.bytes - size) / took
        session.press("c").see("y/n").press("y")
        check_end(session, 2, 130)
        session.expect(rate <= 10.5, f"{rate:.1f} frames a second")
        return (f"{rate:.1f} frames and {written / 1000:.1f} kB a second, "
                f"{100 * used:.0f} % of a processor")


def many_steps(reprise, folder, count, columns, rows):
    """Steps that really run, end and fold away while a key is pressed again and again."""
    steps = "".join(
        f"      - {{ id: s{number:05}, if: '${{{{ {str(number % 50 == 0).lower()} }}}}', run: 'true' }}\n"
        for number in range(count))
    write(folder, "many.yaml", f"""name: many
steps:
  - {{ id: start, run: "until [ -e go ]; do sleep 0.05; done" }}
  - parallel:
{steps}  - {{ id: end, run: "until [ -e stop ]; do sleep 0.05; done", needs: start }}
""")
    checks = FrameChecks("many")
    command = surrounded(f"{reprise} run ./many.yaml", 2)
    delays = []
    with Session(command, columns, rows, folder, checks=[checks]) as session:
        session.see("start")
        write(folder, "go", "")
        session.press("End").see("❯ ", seconds=120)
        for number in range(40):
            before = [row for row in session.screen.rows if row.startswith("❯ ")]
            pressed = time.monotonic()
            session.press("↑")
            session.wait(
                lambda session: [row for row in session.screen.rows if row.startswith("❯ ")]
                not in (before, []), "another chosen step")
            delays.append(time.monotonic() - pressed)
        write(folder, "stop", "")
        check_end(session, 2, 0)
        rows = [row for row in session.screen.all_rows]
        session.expect(len(rows) < 120, f"the end has {len(rows)} rows")
        return (f"{checks.checked} frames, a key took {1000 * sorted(delays)[len(delays) // 2]:.0f}"
                f" ms, at most {1000 * max(delays):.0f} ms")
