#!/usr/bin/env python3
"""Runs small files with their tools and with their imports, and compares files and ends.

A file of GitHub Actions or dagu runs only as its import, which is compared with what the case states.

Usage: campaign.py REPRISE [TOOL…]
"""

import os
import subprocess
import sys
import tempfile

import dagu_cases
import github_cases
import just_cases
import just_more
import make_cases
import make_more
import task_cases
import task_more

# The name of the file of each tool, its cases, and whether the tool runs beside the import.
SUITES = {
    "make": (make_cases.FILE, make_cases.CASES + make_more.CASES, True),
    "task": (task_cases.FILE, task_cases.CASES + task_more.CASES, True),
    "just": (just_cases.FILE, just_cases.CASES + just_more.CASES, True),
    "github": (github_cases.FILE, github_cases.CASES, False),
    "dagu": (dagu_cases.FILE, dagu_cases.CASES, False),
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


def state(reprise, tool, file, case, root):
    """Runs only the import; returns what differs from what the case states."""
    folder, home = (os.path.join(root, name) for name in ("w", "home"))
    for path in (folder, home):
        os.makedirs(path)
    write(folder, file, case)
    imported = run([reprise, "import", "--from", tool, file, "--output", "imported.yaml"],
                   folder, home)
    if imported.returncode != 0:
        return f"import: {imported.stderr}"
    here = run([reprise, "run", "./imported.yaml", *case.arguments[1]], folder, home)
    found = tree(folder)
    wrong = []
    for path, content in case.want.items():
        data = found.get(path)
        if data != (None if content is None else content.encode()):
            wrong.append((path, data, content))
    if (here.returncode == 0) != case.succeeds:
        wrong.append(("status", here.returncode, case.succeeds))
    return f"{wrong}\n{here.stdout}{here.stderr}" if wrong else None


def compare(reprise, tool, file, case, root):
    """Returns what differs; nothing if both are the same."""
    theirs, ours, home = (os.path.join(root, name) for name in ("a/w", "b/w", "home"))
    for folder in (theirs, ours, home):
        os.makedirs(folder)
    for folder in (theirs, ours):
        write(folder, file, case)
    imported = run([reprise, "import", file, "--output", "imported.yaml"], ours, home)
    if imported.returncode not in (0, 1):
        return f"import: {imported.stderr}"
    name = f"#{case.goal.replace(':', '-')}" if case.goal else ""
    text = ""
    for _ in range(case.runs):
        goal = [case.goal] if case.goal else []
        there = run([tool, *goal, *case.arguments[0]], theirs, home)
        here = run([reprise, "run", f"./imported.yaml{name}", *case.arguments[1]], ours, home)
        text += there.stdout + there.stderr + "\n-- import --\n" + here.stdout + here.stderr
    with open(os.path.join(ours, "imported.yaml"), encoding="utf-8") as result:
        text += "\n" + imported.stderr + result.read()
    if case.fails:
        good = imported.returncode == 1 and here.returncode != 0
        before = {file, *case.files}
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
        file, cases, runs_beside = SUITES[tool]
        check = compare if runs_beside else state
        for case in cases:
            with tempfile.TemporaryDirectory(prefix="reprise-import-") as root:
                problem = check(reprise, tool, file, case, os.path.realpath(root))
            count += 1
            if problem:
                failed += 1
                print(f"{tool}: {case.name}: {problem}")
    print(f"{count} imports, {failed} differ")
    sys.exit(1 if failed else 0)


main()
