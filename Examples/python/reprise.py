"""Start and control Reprise workflows from Python: JSON lines over `reprise engine --stdio`.
Try it with: python3 reprise.py workflows/coordinator.yaml [--restart STEP]"""
import collections, itertools, json, os, subprocess, sys


class Engine:
    """An engine, not thread-safe. Leaving its `with` block cancels its runs and waits for them."""

    def __init__(self, command=os.environ.get("REPRISE", "reprise")):
        self._process = subprocess.Popen([command, "engine", "--stdio"], encoding="utf-8",
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines = map(json.loads, self._process.stdout)
        self._ids, self._waiting = itertools.count(1), collections.deque()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate()

    def start(self, workflow=None, *, text=None, params=None):
        """Starts a run of a file, or of YAML in `text`, and returns its id."""
        return self._ask("start", workflow=workflow, text=text, params=params)["run"]

    def restart(self, run, step=None):
        self._ask("restart", run=run, **{"from": step})

    def cancel(self, run, now=False):
        self._ask("cancel", run=run, now=now)

    def approve(self, run, step, approved=True):
        self._ask("approve", run=run, step=step, approved=approved)

    def events(self):
        """Yields the events of all runs as they happen, until the engine ends."""
        while event := self._waiting.popleft() if self._waiting else next(self._lines, None):
            yield event

    def _ask(self, request, **fields):
        message = {"reprise": 1, "id": next(self._ids), "request": request, **fields}
        print(json.dumps(message), file=self._process.stdin, flush=True)
        while "reply" not in (line := next(self._lines, {"reply": "error", "text": "the engine has exited"})):
            self._waiting.append(line)  # An event that arrived before the reply.
        if line["reply"] == "error":
            raise RuntimeError(line["text"])
        return line


if __name__ == "__main__":
    path, *options = sys.argv[1:] or sys.exit(__doc__)
    restart = ["step-started", *options[1:], 1]
    with Engine() as engine:
        run = engine.start(path)
        for event in engine.events():
            if event["event"] != "step-output":
                print(event["event"], event.get("step", ""), flush=True)
            if [event["event"], event.get("step"), event["generation"]] == restart:
                engine.restart(run, event["step"])
            if event["event"] == "run-ended":
                sys.exit({"succeeded": 0, "failed": 1, "timed-out": 3}.get(event["outcome"], 4))
