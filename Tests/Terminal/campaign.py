# Runs the tests of the display in an emulated terminal, some at once:
# campaign.py REPRISE [--only TEXT] [--jobs NUMBER] [--list]

import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time
import traceback

import film
import keys
import log_keys
import measures
import runs_keys
import texts
import tree_keys
import watch_keys
import windows
from tour import Tour

SIZES = [(40, 10), (80, 24), (200, 60)]
COUNTS = [5, 60, 1000, 10000]
FRAMES = os.path.join(keys.ROOT, ".build", "terminal")


class Case:
    """A test in a folder of its own; its function returns a note."""

    def __init__(self, name, function, *arguments):
        self.name, self.function, self.arguments = name, function, arguments

    def run(self, reprise):
        started = time.monotonic()
        folder = os.path.realpath(tempfile.mkdtemp(prefix="reprise-terminal-"))
        failure = note = None
        try:
            note = self.function(reprise, folder, *self.arguments)
        except Exception:
            failure = traceback.format_exc()
        shutil.rmtree(folder, ignore_errors=True)
        return self.name, time.monotonic() - started, note, failure


def all_keys(reprise, folder, count, columns, rows):
    """Presses every key of the tree and of a log during one run; `c` comes last."""
    with Tour(reprise, folder, count, columns, rows) as tour:
        last = tree_keys.cancel_run
        for (place, label), test in keys.TESTS.items():
            if place in ("watch", "runs") or test is last:
                continue
            try:
                test(tour, label)
                tour.to_base()
            except AssertionError as error:
                raise AssertionError(f"key {label} of the {place}: {error}") from error
        log_keys.help_in_log(tour)
        last(tour, "c")
        slowest = sorted(tour.delays, key=lambda delay: delay[0])[-1]
        return (f"{tour.frame_checks.checked} frames, {len(tour.delays)} answers, median "
                f"{1000 * sorted(d for d, _ in tour.delays)[len(tour.delays) // 2]:.0f} ms, slowest "
                f"{1000 * slowest[0]:.0f} ms: {slowest[1]}")


def every_key_has_a_test(reprise, folder):
    missing, unknown = keys.without_test()
    assert not missing, f"keys without a test in Tests/Terminal: {missing}"
    assert not unknown, f"tests of keys that are not documented: {unknown}"
    return f"{len(keys.TESTS)} keys"


def cases():
    result = [Case("every key of the documentation has a test", every_key_has_a_test)]
    result += [
        Case(f"all keys, {count} steps, {columns}x{rows}", all_keys, count, columns, rows)
        for count in reversed(COUNTS) for columns, rows in SIZES]
    for columns, rows in SIZES:
        size = f"{columns}x{rows}"
        result += [
            Case(f"keys of a watch, {size}", watch_keys.all_watch_keys, columns, rows),
            Case(f"keys of the list of runs, {size}", runs_keys.all_runs_keys, columns, rows),
            Case(f"keys after the end, {size}", runs_keys.keys_after_end, columns, rows),
            Case(f"wide characters, {size}", texts.wide, columns, rows),
            Case(f"hostile output, {size}", texts.hostile, columns, rows),
            Case(f"1000 steps that run, {size}", measures.many_steps, 1000, columns, rows),
        ]
    for pane, with_pane in [("tree", False), ("log", True)]:
        result += [
            Case(f"resizes of a {pane}, rows wrap", windows.resizes, True, with_pane),
            Case(f"resizes of a {pane}, rows are cut", windows.resizes, False, with_pane),
        ]
    return result + [
        Case("film: edit and continue", film.while_running, FRAMES),
        Case("film: restart after the end", film.after_end, FRAMES),
        Case("a run that is left", runs_keys.left_run),
        Case("low windows", windows.low_windows),
        Case("clocks and corners", windows.clocks),
        Case("quiet", measures.quiet),
        Case("one step that sleeps", measures.busy, 1, False),
        Case("40 steps that print", measures.busy, 40, True),
        Case("a flood", measures.flood),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reprise")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=max(1, os.cpu_count() or 1))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [case for case in cases() if options.only in case.name]
    if options.list:
        print("\n".join(case.name for case in chosen))
        return
    if not chosen:
        sys.exit(f"error: there is no test {options.only!r}")
    started, failed = time.monotonic(), []
    reprise = os.path.realpath(options.reprise)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(case.run, reprise) for case in chosen]
        for run in concurrent.futures.as_completed(runs):
            name, duration, note, failure = run.result()
            print(f"{'FAILED' if failure else 'ok':6} {duration:6.1f} s  {name}"
                  + (f": {note}" if note else ""), flush=True)
            if failure:
                failed.append(name)
                print(failure, flush=True)
    print(f"{len(chosen)} tests in {time.monotonic() - started:.0f} s, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
