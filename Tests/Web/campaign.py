# Runs the tests of the live page:
# campaign.py REPRISE REPRISE_WEB [--only TEXT] [--artifacts FOLDER] [--seed NUMBER] [--list]

import argparse
import concurrent.futures
import importlib
import os
import signal
import sys
import time
import traceback

MODULES = ["security", "requests_of_others", "limits", "documents", "changes", "stream", "schema",
           "pages", "shown", "graphs", "logs", "frames", "lists", "projects", "hostile", "looks",
           "load"]


class Case:
    """A check; its function returns a note."""

    def __init__(self, module, function):
        self.name = f"{module}: {function.__name__.replace('_', ' ')}"
        self.waits = getattr(function, "waits", False)
        self.is_long = getattr(function, "is_long", False)
        self.function = function

    def run(self, reprise):
        """Runs the check; returns its duration, its note and its failure."""
        began = time.monotonic()
        try:
            note, failure = self.function(reprise), None
        except AssertionError as error:
            place = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in place if frame.name == self.function.__name__] or place
            line = f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}: {own[-1].line}"
            note, failure = None, f"{line}\n{error}"
        except Exception:  # pylint: disable=broad-except
            note, failure = None, traceback.format_exc()
        return time.monotonic() - began, note, failure


def cases(only):
    """The checks in the order of their modules; long ones only if they are asked for."""
    for module in MODULES:
        found = vars(importlib.import_module(module)).values()
        for function in [each for each in found if getattr(each, "is_check", False)]:
            case = Case(module, function)
            if function.__module__ == module and only in case.name:
                if not case.is_long or only:
                    yield case


def report(case, result):
    """Prints what has become of a check; returns whether it has passed."""
    duration, note, failure = result
    print(f"{'FAILED' if failure else 'ok':6} {duration:6.1f} s  {case.name}"
          + (f": {note}" if note else ""), flush=True)
    if failure:
        print("  " + failure.replace("\n", "\n  "), flush=True)
    return failure is None


def beside(reprise, reprise_web):
    """Fails if `reprise web` would start another program than the one under test."""
    started = os.path.join(os.path.dirname(os.path.realpath(reprise)), "reprise-web")
    if os.path.realpath(reprise_web) != started:
        sys.exit(f"error: {reprise} starts {started}, not {reprise_web}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reprise")
    parser.add_argument("reprise_web")
    parser.add_argument("--only", default="", help="run checks whose names contain this")
    parser.add_argument("--artifacts", default=".build/web-tests/artifacts",
                        help="a folder for screenshots")
    parser.add_argument("--seed", help="the seed of the generated requests")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    beside(options.reprise, options.reprise_web)
    os.makedirs(options.artifacts, exist_ok=True)
    os.environ["REPRISE_WEB_ARTIFACTS"] = os.path.abspath(options.artifacts)
    os.environ["REPRISE_WEB_SEED"] = options.seed or str(int(time.time()))
    # Folders and processes are cleaned up then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chosen = list(cases(options.only))
    if options.list:
        print("\n".join(case.name for case in chosen))
        return
    if not chosen:
        sys.exit(f"error: there is no test {options.only!r}")
    began, passed = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        waiting = {case: pool.submit(case.run, options.reprise) for case in chosen if case.waits}
        for case in chosen:
            if not case.waits:
                passed += report(case, case.run(options.reprise))
        for case, result in waiting.items():
            passed += report(case, result.result())
    failed = len(chosen) - passed
    print(f"{passed} passed, {failed} failed, in {time.monotonic() - began:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
