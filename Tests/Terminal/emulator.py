# A terminal in memory: pyte, with the alternate screen, scrollback, and the wrapping of rows at a
# new width, which pyte lacks.

import copy
import unicodedata

import pyte
from pyte import modes
from wcwidth import wcwidth

ALTERNATE_SCREEN = 1049
PASTE_BRACKETS = 2004
FRAME = 2026
MOUSE_MODES = (1000, 1006, 1007)


class Emulator(pyte.Screen):
    """A screen whose rows can be read as text, with what has scrolled out at its top.

    At the end of each frame, which the program marks with the mode 2026, `on_frame` is called.
    """

    def __init__(self, columns, rows, on_frame, on_answer):
        self.scrollback = []
        self.private_modes = set()
        self.in_frame = False
        self.wrapped_in_frame = False
        self.bells = 0
        self.unknown = []
        self.titles = []
        self._main = None
        self._texts = {}
        self._on_frame = on_frame
        self._on_answer = on_answer
        super().__init__(columns, rows)
        self.titles.clear()

    # What the program writes

    def set_mode(self, *numbers, **options):
        if not options.get("private"):
            return super().set_mode(*numbers, **options)
        self.private_modes.update(numbers)
        if ALTERNATE_SCREEN in numbers and self._main is None:
            self._main = (self.buffer, copy.copy(self.cursor))
            self.buffer = copy.copy(self.buffer)
            self.buffer.clear()
            self._mark_all()
        if FRAME in numbers:
            self.in_frame, self.wrapped_in_frame = True, False
        super().set_mode(*numbers, **options)

    def reset_mode(self, *numbers, **options):
        if not options.get("private"):
            return super().reset_mode(*numbers, **options)
        self.private_modes.difference_update(numbers)
        if ALTERNATE_SCREEN in numbers and self._main is not None:
            hidden = self.cursor.hidden
            self.buffer, self.cursor = self._main
            self.cursor.hidden = hidden
            self._main = None
            self._mark_all()
        super().reset_mode(*numbers, **options)
        if FRAME in numbers and self.in_frame:
            self.in_frame = False
            self._on_frame()

    @property
    def is_alternate(self):
        return self._main is not None

    def draw(self, data):
        for character in data.translate(self.g1_charset if self.charset else self.g0_charset):
            width = wcwidth(character)
            if width <= 0:
                self._combine(character)
                continue
            if self.cursor.x + width > self.columns:
                if modes.DECAWM in self.mode:
                    self.buffer[self.cursor.y].is_wrapped = True
                    self.wrapped_in_frame = True
                    self.carriage_return()
                    self.linefeed()
                else:
                    self.cursor.x = self.columns - width
            line = self.buffer[self.cursor.y]
            line[self.cursor.x] = self.cursor.attrs._replace(data=character)
            if width == 2:
                line[self.cursor.x + 1] = self.cursor.attrs._replace(data="")
            self.cursor.x += width
            self.dirty.add(self.cursor.y)

    def _combine(self, character):
        line = self.buffer[self.cursor.y]
        column = self.cursor.x - 1
        while column >= 0 and line[column].data == "":
            column -= 1
        if column >= 0 and unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf"):
            line[column] = line[column]._replace(data=line[column].data + character)
            self.dirty.add(self.cursor.y)

    def index(self):
        if self.cursor.y == self.lines - 1 and not self.is_alternate and self.margins is None:
            self.scrollback.append(self.buffer[0])
        super().index()

    def linefeed(self):
        # The terminal driver has already written the carriage return, if any.
        self.index()

    def erase_in_line(self, how=0, private=False):
        if how == 0:
            self.buffer[self.cursor.y].is_wrapped = False
        super().erase_in_line(how, private)

    def erase_in_display(self, how=0, *arguments, **options):
        super().erase_in_display(how, *arguments, **options)
        for row in range(self.cursor.y if how == 0 else 0, self.lines):
            self.buffer[row].is_wrapped = False

    def bell(self, *arguments):
        self.bells += 1

    def set_title(self, text):
        self.titles.append(text)

    def set_icon_name(self, text):
        self.titles.append(text)

    def debug(self, *arguments, **options):
        self.unknown.append((arguments, options))

    def write_process_input(self, text):
        self._on_answer(text)

    # The window

    def resize(self, lines=None, columns=None, rewraps=True):
        """Changes the size of the window.

        `rewraps` is whether rows that no longer fit continue in the next row, as in most terminals,
        or are cut, as in xterm.
        """
        lines, columns = lines or self.lines, columns or self.columns
        if self.is_alternate:
            alternate = (self.buffer, self.cursor)
            self.buffer, self.cursor = self._main
            self._resize_main(lines, columns, rewraps)
            self._main = (self.buffer, self.cursor)
            self.buffer, self.cursor = alternate
            for row in [row for row in self.buffer if row >= lines]:
                del self.buffer[row]
            for row in self.buffer.values():
                for column in [column for column in row if column >= columns]:
                    del row[column]
            self.cursor.x = min(self.cursor.x, columns - 1)
            self.cursor.y = min(self.cursor.y, lines - 1)
        else:
            self._resize_main(lines, columns, rewraps)
        self.lines, self.columns = lines, columns
        self._mark_all()

    def _resize_main(self, lines, columns, rewraps):
        used = max([y for y, row in self.buffer.items() if self._length(row)] + [self.cursor.y])
        rows = self.scrollback + [self.buffer[y] for y in range(used + 1)]
        cursor = len(self.scrollback) + self.cursor.y
        if columns != self.columns and rewraps:
            rows, cursor, self.cursor.x = self._rewrapped(rows, cursor, columns)
        elif columns < self.columns:
            for row in rows:
                for column in [column for column in row if column >= columns]:
                    del row[column]
        top = max(0, len(rows) - lines)
        self.scrollback = rows[:top]
        blank = self.buffer
        self.buffer = copy.copy(blank)
        self.buffer.clear()
        for y, row in enumerate(rows[top:]):
            self.buffer[y] = row
        self.cursor.y = max(0, cursor - top)
        self.cursor.x = min(self.cursor.x, columns - 1)

    def _rewrapped(self, rows, cursor, columns):
        result, place, line, offset = [], (0, 0), [], None
        for number, row in enumerate(rows):
            if number == cursor:
                offset = len(line) + self.cursor.x
            is_wrapped = getattr(row, "is_wrapped", False)
            length = self.columns if is_wrapped else self._length(row)
            line += [row[x] for x in range(length)]
            if is_wrapped and number + 1 < len(rows):
                continue
            pieces = [line[x:x + columns] for x in range(0, len(line), columns)] or [[]]
            if offset is not None:
                at = min(offset // columns, len(pieces) - 1)
                place = (len(result) + at, offset - at * columns)
            for last, piece in enumerate(pieces):
                new = copy.copy(row)
                new.clear()
                new.update(enumerate(piece))
                new.is_wrapped = last + 1 < len(pieces)
                result.append(new)
            line, offset = [], None
        return result, place[0], place[1]

    @staticmethod
    def _length(row):
        return 1 + max([x for x, cell in row.items() if cell.data != " "], default=-1)

    # What a person sees

    def _mark_all(self):
        self._texts.clear()
        self.dirty.update(range(self.lines))

    def text(self, row):
        """The text of a row, without blanks at its end."""
        for changed in self.dirty:
            self._texts.pop(changed, None)
        self.dirty.clear()
        if row not in self._texts:
            self._texts[row] = self.row_text(self.buffer[row])
        return self._texts[row]

    def row_text(self, row):
        return "".join(row[x].data for x in range(self._length(row))).rstrip()

    @property
    def rows(self):
        return [self.text(row) for row in range(self.lines)]

    @property
    def all_rows(self):
        """The rows that have scrolled out, and those of the screen."""
        return [self.row_text(row) for row in self.scrollback] + self.rows

    def width(self, row):
        """The number of columns of a row that are in use."""
        return self._length(self.buffer[row])

    def colour(self, row, text):
        """The colour of the first cell of a text in a row."""
        column = self.rows[row].find(text)
        return self.buffer[row][column].fg if column >= 0 else None

    def picture(self):
        """The screen as text in a box, for messages."""
        edge = "+" + "-" * self.columns + "+"
        rows = ["|" + row + " " * (self.columns - self.width(number)) + "|"
                for number, row in enumerate(self.rows)]
        rows[self.cursor.y] += " <"
        return "\n".join([edge] + rows + [edge])
