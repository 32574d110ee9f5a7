# A project in a temporary folder, with its runs and its page.

import functools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time

from page import Page

DEADLINE = 30


class Unexpected(AssertionError):
    """Something else was seen than what was expected."""

    def __init__(self, expected, seen):
        super().__init__(f"expected: {expected}\n    seen: {seen}")


def expect(holds, expected, seen):
    """Fails unless a condition holds."""
    if not holds:
        raise Unexpected(expected, seen if isinstance(seen, str) else repr(seen))


def expect_equal(what, seen, expected):
    """Fails unless two values are equal."""
    expect(seen == expected, f"{what} {expected!r}", seen)


def eventually(what, condition, within=DEADLINE):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise Unexpected(f"{what} within {within} s", value)
        time.sleep(0.02)


def check(test):
    """Marks a function as a check of the campaign; its parameter is the path of `reprise`."""
    test.is_check = True
    return test


def waits(test):
    """Marks a check that mostly waits: it runs beside the others."""
    test.waits = True
    return test


def long(test):
    """Marks a check that runs only if it is asked for."""
    test.is_long = True
    return test


def with_page(workflows, **environment):
    """Makes a check of a function with a project whose page is served, and the page."""
    def decorated(test):
        @functools.wraps(test)
        def run(reprise):
            with Project(reprise, workflows) as own:
                own.environment.update(environment)
                page = own.serve()
                page.session()
                return test(own, page)
        return check(run)
    return decorated


def resident(process):
    """The memory of a process in MiB."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0


def arguments(process):
    """The words with which a process was started; none if it is gone."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().split(b"\0")[:-1]
    except OSError:
        return []


def processes():
    """The ids of all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


class Project:
    """A folder with workflows; its runs and its page end with it."""

    def __init__(self, reprise, workflows):
        self.reprise = os.path.abspath(reprise)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="reprise-web-"))
        os.mkdir(f"{self.folder}/workflows")
        for name, text in workflows.items():
            self.write(f"workflows/{name}.yaml", text)
        self.processes = []
        self.page = None
        self.environment = {**os.environ, "HOME": self.folder, "NO_COLOR": "1"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            for process in self.processes:
                if process.poll() is None:
                    process.terminate()
            for process in self.processes:
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                if process.stdout:
                    process.stdout.close()
            # Runs that the page has started have sessions of their own.
            for line in self.command("runs", "--json").splitlines():
                run = json.loads(line)
                if run["status"] in ("running", "queued"):
                    self.command("cancel", run["id"], "--now")
                    eventually(f"run {run['id']} has ended", lambda run=run: self.show(
                        run["id"])["status"] not in ("running", "queued"))
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Files

    def path(self, name):
        return f"{self.folder}/{name}"

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def exists(self, name):
        return os.path.exists(self.path(name))

    def read(self, name):
        """The text of a file; empty if there is none."""
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    # Commands

    def finished(self, *words):
        """Runs a command to its end."""
        return subprocess.run([self.reprise, *words], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)

    def command(self, *words):
        """Runs a command, and returns what it prints."""
        return self.finished(*words).stdout

    def start(self, *words, output=subprocess.DEVNULL, nice=False):
        command = ["nice"] * nice + [self.reprise]
        process = subprocess.Popen([*command, *words], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.DEVNULL, text=True)
        self.processes.append(process)
        return process

    def run(self, name, *words, nice=False):
        """Starts a run, and returns its id once it is recorded."""
        before = self.ids()
        self.start("run", name, "--progress", "none", *words, nice=nice)
        return eventually("a new run", lambda: next(iter(self.ids() - before), None))

    def run_to_end(self, name, status, *words):
        """Runs a workflow, and returns its id."""
        run = self.run(name, *words)
        self.ended(run, status)
        return run

    def ids(self):
        return {json.loads(line)["id"] for line in self.command("runs", "--json").splitlines()}

    def show(self, run):
        return json.loads(self.command("show", run, "--json"))

    def step(self, run, name):
        return next(step for step in self.show(run)["steps"] if step["step"] == name)

    def state(self, run, step):
        return self.step(run, step)["state"]

    def ended(self, run, status, within=60):
        """Waits until a run has ended with a status."""
        eventually(f"run {run} is {status}", lambda: self.show(run)["status"] == status, within)

    def recorded(self, run):
        """The events of a run in the journal, each as kind, step and attempt."""
        journal = sqlite3.connect(f"file:{self.folder}/.reprise/journal.db?mode=ro", uri=True)
        try:
            return [list(row) for row in journal.execute(
                "SELECT kind, step, attempt FROM event WHERE run = "
                "(SELECT number FROM run WHERE id = ?) ORDER BY number", (run,))]
        finally:
            journal.close()

    # The page

    def serve(self, *words, port=None):
        """Starts the page."""
        if port:
            words = (*words, "--port", str(port))
        process = self.start("web", *words, output=subprocess.PIPE)
        timer = threading.Timer(DEADLINE, process.kill)
        timer.start()
        url = process.stdout.readline().strip()
        timer.cancel()
        expect(url, "reprise web prints an address", f"exit status {process.poll()}")
        self.page = Page(process, url)
        return self.page

    def kill_page(self):
        """Kills the server of the page, as a crash would."""
        self.page.process.send_signal(signal.SIGKILL)
        self.page.process.wait()
