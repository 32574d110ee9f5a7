#!/usr/bin/env python3
"""Breaks one guarantee of the runners at a time, and checks that the campaign notices it.

    controls.py build | program | run KIND [KIND ...]

Scripts/runners-test --controls calls it. The faults are in Tests/Runners/controls; all are compiled into
one copy of the program. A file selects one, since hosts do not inherit variables of their engine.
CONTROLS names those to run, by default all. Each case must pass without a fault, and fail with it.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = pathlib.Path(os.environ.get("CONTROLS_BUILD", ROOT / ".build/controls"))
CHOICE = COPY / "control"


def loaded():
    """Scripts/mutants as a module, for copies of this program."""
    loader = importlib.machinery.SourceFileLoader("mutants", str(ROOT / "Scripts/mutants"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    loader.exec_module(module)
    module.COPY = COPY
    module.SWIFT = module.SWIFT[:module.SWIFT.index("private let")] + f"""
private let controlInEffect: String = {{
  guard let file = unsafe fopen("{CHOICE}", "r") else {{ return "" }}
  defer {{ unsafe fclose(file) }}
  var bytes = [CChar](repeating: 0, count: 256)
  guard unsafe fgets(&bytes, 255, file) != nil else {{ return "" }}
  return String(decoding: bytes.prefix {{ $0 != 0 }}.map {{ UInt8(bitPattern: $0) }}, as: UTF8.self)
}}()
private func mutant(_ name: String) -> Bool {{ controlInEffect == name }}
"""
    return module


def build():
    mutants = loaded()
    controls = mutants.listed("Tests/Runners/controls")
    lost = mutants.plant(controls)
    mutants.report(lost)
    command = ["swift", "build", "--product", "reprise"]
    status = subprocess.run(command, cwd=COPY, stdout=sys.stderr).returncode
    sys.exit(1 if lost else status)


def failures(program, control, kind, cases):
    """Those of the cases that fail with a fault; None if a case is unknown."""
    CHOICE.write_text(control)
    failed = []
    for case in cases:
        answer = subprocess.run(
            [sys.executable, ROOT / "Tests/Runners/campaign.py", program, kind], text=True,
            env={**os.environ, "REPRISE_CASES": case, "REPRISE_KILLS": "3"}, capture_output=True)
        if answer.stdout.endswith("0 cases, 0 failures\n"):
            sys.exit(f"there is no case {case}")
        if answer.returncode != 0:
            failed.append(case)
        if (answer.returncode != 0) == (control == "none"):
            # It fails without a fault, or passes with one.
            print(answer.stdout, flush=True)
    CHOICE.write_text("none")
    return failed


def run(kinds):
    chosen = os.environ.get("CONTROLS", "").split()
    missed, count = [], 0
    passing = set()
    for control in loaded().listed("Tests/Runners/controls"):
        if chosen and control.name not in chosen:
            continue
        for case in control.tests:
            kind = case.split(":")[0]
            if kind not in kinds:
                continue
            begin = time.monotonic()
            if case not in passing and failures(program(), "none", kind, [case]):
                verdict = "fails without a fault"
            elif not failures(program(), control.name, kind, [case]):
                verdict = "does not notice it"
            else:
                verdict = "notices it"
                passing.add(case)
            count += 1
            if verdict != "notices it":
                missed.append(case)
            print(f"{control.name}: {case} {verdict} ({time.monotonic() - begin:.0f} s)", flush=True)
    print(f"{count} controls, {len(missed)} not noticed", flush=True)
    sys.exit(1 if missed or not count else 0)


def program():
    return str(COPY / ".build/debug/reprise")


if sys.argv[1] == "build":
    build()
elif sys.argv[1] == "program":
    print(program())
else:
    run(sys.argv[2:])
