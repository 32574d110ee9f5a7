# What steps may print: wide characters, and whatever else could confuse a terminal.

import os

from checks import FrameChecks, check_end, surrounded
from session import Session

WIDE = {
    "cjk": "漢字かな交じり文 한국어 " * 12,
    "emoji": "✅ ❌ ⚡ ⭐ ⏳ 🚀 🎉 ⌚ 🟢 🧪 " * 12,
    "joined": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 ❤️ 1️⃣ " * 12,
    "combining": "é ñ Z̸̡̧̛a̷͝l̵͠g̶o̶ กำลัง हिन्दी עִבְרִית " * 12,
    "ambiguous": "─│┌ ±°§ ①② ★☆ … — " * 12,
}

HOSTILE = {
    "colours": "\x1b[31mred\x1b[0m \x1b[7mreverse\x1b[5mblink",
    "moves": "\x1b[2J\x1b[H\x1b[10A\x1b[5;5Hhere\x1b[1000D\x1b7\x1b8\x1bM\x1bD\x1bc",
    "titles": "\x1b]0;stolen title\x07\x1b]2;stolen\x1b\\text \x1b]52;c;c3RvbGVu\x07",
    "screens": "\x1b[?1049h\x1b[?47h\x1b[?25h\x1b[?1000h\x1b[?1049l\x1b[?2004l\x1b[?2026h",
    "unfinished": "\x1b[31", "string": "\x1b]0;never ended", "device": "\x1bPq#0;2\x1b\\\x1b_Gx\x1b\\",
    "direction": "\u202eright to left\u2066isolate\u200f", "c1": "\x9b31m\x9d0;title\x9c\x85next",
    "bells": "\x07" * 40, "backspaces": "abc\b\b\b\b\b\b\b\bdef\x0b\x0cdown\x0eshift\x0f",
    "bar": "".join(f"\rloading {number} %" for number in range(101)),
    "long": "x" * 100_000, "tabs": "\t" * 200 + "end", "nul": "a\0b\x7fc",
    "query": "\x1b[6n\x1b[c\x1b[5n\x05",
}
BINARY = bytes(range(256)) * 64


def steps(texts, seconds):
    """A workflow in which each step prints the file of its name and stays for a moment."""
    rows = "".join(
        f"      - {{ id: {name}, run: 'cat {name}.txt; sleep {seconds}; echo; cat {name}.txt' }}\n"
        for name in texts)
    return f"name: texts\nsteps:\n  - parallel:\n{rows}"


def shown(reprise, folder, texts, columns, rows):
    """Shows texts in the tree, in each log, wrapped and cut, and in the stream."""
    texts = {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}
    for name, text in texts.items():
        with open(os.path.join(folder, name + ".txt"), "wb") as file:
            file.write(text)
    with open(os.path.join(folder, "texts.yaml"), "w", encoding="utf-8") as file:
        file.write(steps(texts, 2))
    checks = FrameChecks("texts")
    command = surrounded(f"{reprise} run ./texts.yaml --stay", 4)
    with Session(command, columns, rows, folder, checks=[checks]) as session:
        session.see("succeeded").press("Home").see("❯ ")
        for name in texts:
            session.press("Enter")
            session.wait(
                lambda session, name=name: session.screen.is_alternate
                and session.screen.rows[0].startswith(name), f"the log of {name}")
            for key in ("w", "g", "w", "G"):
                # The line for a search appears once the key before has been handled.
                session.press(key, "/")
                session.wait(lambda session: session.screen.rows[-1] == "/", "the search")
                session.press("Esc")
                session.wait(lambda session: session.screen.rows[-1].startswith("line "), "the log")
            session.press("q").wait(lambda session: not session.screen.is_alternate, "the tree")
            session.press("↓")
        checks.is_streaming = True
        session.press("s").see_no("texts  run")
        session.press("s").see("texts  run")
        checks.is_streaming = False
        session.press("q")
        check_end(session, 4, 0)
        screen = session.screen
        session.expect(not screen.titles, f"a step has set a title: {screen.titles}")
        session.expect(not screen.bells, "a step has rung the bell")
        session.expect(not screen.unknown, f"unknown codes were written: {screen.unknown[:5]}")
        return f"{checks.checked} frames"


def wide(reprise, folder, columns, rows):
    return shown(reprise, folder, WIDE, columns, rows)


def hostile(reprise, folder, columns, rows):
    return shown(reprise, folder, HOSTILE | {"binary": BINARY}, columns, rows)
