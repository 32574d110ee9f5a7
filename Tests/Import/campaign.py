#!/usr/bin/env python3
"""Runs small files with their tools and with their imports, and compares files and ends.

Usage: campaign.py REPRISE [TOOL…]
"""

import os
import subprocess
import sys
import tempfile

import just_cases
import make_cases
import task_cases

SUITES = {
    "make": (make_cases, lambda goal, more: ["make", *([goal] if goal else []), *more]),
    "task": (task_cases, lambda goal, more: ["task", *([goal] if goal else []), *more]),
    "just": (just_cases, lambda goal, more: ["just", *([goal] if goal else []), *more]),
}
# What the tools and the command keep for themselves.
OWN = {".task", ".reprise", "imported.yaml"}


def write(folder, file, case):
    for path, text in {file: case.text, **case.files}.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as out:
            out.write(text)
        if text.startswith("#!"):
            os.chmod(full, 0o755)


def tree(folder):
    found = {}
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in OWN]
        for name in folders:
            found[os.path.relpath(os.path.join(base, name), folder)] = None
        for name in files:
            path = os.path.join(base, name)
            if name not in OWN:
                with open(path, "rb") as content:
                    data = content.read().replace(folder.encode(), b"FOLDER")
                found[os.path.relpath(path, folder)] = data
    return found


def run(words, folder, home):
    env = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "USER": "me",
           "XDG_STATE_HOME": os.path.join(home, "state")}
    return subprocess.run(words, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


def compare(reprise, suite, command, case, root):
    """Returns what differs; nothing if both are the same."""
    theirs, ours, home = (os.path.join(root, name) for name in ("a/w", "b/w", "home"))
    for folder in (theirs, ours, home):
        os.makedirs(folder)
    for folder in (theirs, ours):
        write(folder, suite.FILE, case)
    imported = run([reprise, "import", suite.FILE, "--output", "imported.yaml"], ours, home)
    if imported.returncode not in (0, 1):
        return f"import: {imported.stderr}"
    name = f"#{case.goal.replace(':', '-')}" if case.goal else ""
    text = ""
    for _ in range(case.runs):
        there = run(command(case.goal, case.arguments[0]), theirs, home)
        here = run([reprise, "run", f"./imported.yaml{name}", *case.arguments[1]], ours, home)
        text += there.stdout + there.stderr + "\n-- import --\n" + here.stdout + here.stderr
    with open(os.path.join(ours, "imported.yaml"), encoding="utf-8") as result:
        text += "\n" + imported.stderr + result.read()
    if case.fails:
        good = imported.returncode == 1 and here.returncode != 0
        before = {suite.FILE, *case.files}
        wrong = [path for path, data in tree(ours).items() if data is not None and path not in before]
        return None if good and not wrong else f"must say so and fail {wrong}\n{text}"
    if imported.returncode != 0:
        return f"in part\n{text}"
    if (there.returncode == 0) != (here.returncode == 0):
        return f"status {there.returncode} there, {here.returncode} here\n{text}"
    if case.check:
        return None if all(path in tree(ours) for path in case.check) else f"no file\n{text}"
    left, right = tree(theirs), tree(ours)
    different = sorted(p for p in left.keys() | right.keys() if left.get(p, 0) != right.get(p, 0))
    if different:
        return f"{[(p, left.get(p, 0), right.get(p, 0)) for p in different]}\n{text}"
    return None


def main():
    reprise = os.path.abspath(sys.argv[1])
    count = failed = 0
    for tool in sys.argv[2:] or SUITES:
        suite, command = SUITES[tool]
        for case in suite.CASES:
            with tempfile.TemporaryDirectory(prefix="reprise-import-") as root:
                problem = compare(reprise, suite, command, case, os.path.realpath(root))
            count += 1
            if problem:
                failed += 1
                print(f"{tool}: {case.name}: {problem}")
    print(f"{count} imports, {failed} differ")
    sys.exit(1 if failed else 0)


main()
