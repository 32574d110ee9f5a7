# A program on a pseudo-terminal whose other end is an `Emulator`.

import fcntl
import json
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

from emulator import Emulator

DEADLINE = 30

KEYS = {
    "↑": "\x1b[A", "↓": "\x1b[B", "→": "\x1b[C", "←": "\x1b[D", "Home": "\x1b[H", "End": "\x1b[F",
    "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Enter": "\r", "Esc": "\x1b", "Space": " ",
    "Backspace": "\x7f", "Ctrl-C": "\x03", "Ctrl-Z": "\x1a",
}


class Failed(AssertionError):
    """A failed expectation, with the screen at that moment."""

    def __init__(self, session, text):
        screen = session.screen
        super().__init__(
            f"{text}\n{screen.columns}x{screen.lines}, {len(session.frames)} frames"
            f"{', alternate screen' if screen.is_alternate else ''}\n{screen.picture()}")


class Session:
    """A shell command on a terminal; `with` ends it, and checks what it leaves behind."""

    def __init__(self, command, columns, rows, folder, checks=(), environment=None, film=None):
        self.folder = folder
        # The time of each frame and the number of bytes since the one before.
        self.frames = []
        self.bytes = 0
        # The number of frames to come that may have been drawn for another size.
        self.changed_frames = 0
        self.status = None
        self.checks = list(checks)
        self.started = time.monotonic()
        self._bytes_at_frame = 0
        self._film = None
        self.screen = Emulator(columns, rows, self._end_frame, self.type)
        self.stream = pyte.ByteStream(self.screen)
        if film:
            os.makedirs(os.path.dirname(film), exist_ok=True)
            self._film = open(film, "w", encoding="utf-8")
            header = {"version": 2, "width": columns, "height": rows, "title": command}
            self._film.write(json.dumps(header) + "\n")
        variables = {
            name: value for name, value in os.environ.items()
            if name not in ("CI", "GITHUB_ACTIONS", "NO_COLOR", "COLUMNS", "LINES", "TMUX")
        }
        variables.update(TERM="xterm-256color", LC_ALL="C.UTF-8", SHELL="/bin/sh")
        variables.update(environment or {})
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTSTP):
                signal.signal(number, signal.SIG_DFL)
            os.execvpe("/bin/sh", ["/bin/sh", "-c", command], variables)
        fcntl.ioctl(
            self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.settings = termios.tcgetattr(self.terminal)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and self.status is None:
                self.end()
        finally:
            self.kill()

    def kill(self):
        if self.status is None:
            os.killpg(self.process, signal.SIGTERM)
            deadline = time.monotonic() + 15
            while time.monotonic() < deadline and self._read(deadline):
                pass
            try:
                os.killpg(self.process, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        os.close(self.terminal)
        if self._film:
            self._film.close()

    # Reading

    def _end_frame(self):
        now = time.monotonic() - self.started
        self.frames.append((now, self.bytes - self._bytes_at_frame))
        self._bytes_at_frame = self.bytes
        for check in self.checks:
            check(self)

    def _read(self, deadline):
        """Reads once; returns False at the end of the program or the deadline."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            return False
        if self._film:
            text = data.decode("utf-8", "replace")
            self._film.write(
                json.dumps([round(time.monotonic() - self.started, 3), "o", text]) + "\n")
        # Count up to each frame.
        parts = data.split(b"\x1b[?2026l")
        for number, part in enumerate(parts):
            part += b"\x1b[?2026l" if number + 1 < len(parts) else b""
            self.bytes += len(part)
            self.stream.feed(part)
        return bool(data)

    def wait(self, condition, what, seconds=DEADLINE):
        """Reads until a condition on this session holds; returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            # Half a frame is nothing that a person sees.
            value = not self.screen.in_frame and condition(self)
            if value:
                return value
            if not self._read(deadline):
                raise Failed(self, f"never seen: {what}")

    def see(self, *texts, seconds=DEADLINE):
        """Waits until all texts are on the screen."""
        def all_shown(session):
            shown = "\n".join(session.screen.rows)
            return all(text in shown for text in texts)
        self.wait(all_shown, " and ".join(repr(text) for text in texts), seconds)
        return self

    def see_no(self, *texts, seconds=DEADLINE):
        """Waits until none of the texts is on the screen."""
        def none_shown(session):
            shown = "\n".join(session.screen.rows)
            return not any(text in shown for text in texts)
        self.wait(none_shown, "the end of " + " and ".join(repr(text) for text in texts), seconds)
        return self

    def rest(self, seconds):
        """Reads for a time, for measurements."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass

    def end(self, seconds=DEADLINE):
        """Waits for the end of the program; returns its status."""
        if self.status is None:
            deadline = time.monotonic() + seconds
            while self._read(deadline):
                pass
            if time.monotonic() >= deadline:
                raise Failed(self, "the program does not end")
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        return self.status

    # Writing

    def type(self, text):
        os.write(self.terminal, text.encode())

    def press(self, *names):
        for name in names:
            self.type(KEYS.get(name, name))
        return self

    def resize(self, columns, rows, rewraps=True, moves=True):
        """Changes the size right after a frame, so that no frame of the old size is on its way.

        If nothing that the window shows moves, there is no frame to wait for.
        """
        frame = len(self.frames)
        if moves:
            self.wait(lambda session: len(session.frames) > frame, "a frame before the change")
        fcntl.ioctl(
            self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns, rewraps)
        self.changed_frames = 1

    # Facts

    @property
    def text(self):
        return "\n".join(self.screen.rows)

    @property
    def all_text(self):
        return "\n".join(self.screen.all_rows)

    def expect(self, condition, text):
        if not condition:
            raise Failed(self, text)

    def read(self, path):
        try:
            with open(os.path.join(self.folder, path), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""
