// The log of a step: windows of its output from the server, never the whole of it.

import { styledPieces } from "./ansi.js";
import { logPath, read } from "./api.js";
import { el, fill, onceAFrame } from "./dom.js";
import { bytesText, clockText } from "./format.js";

const linesMax = 1000;
const windowBytes = 128 * 1024;

/** Creates the log pane; `say` shows a message, `link` returns the address of a line. */
export function makeLog(box, { say, link }) {
  const list = el("div", { id: "log", tabindex: 0, role: "log", "aria-label": "Output",
    "aria-live": "off" });
  const search = el("input", { type: "search", placeholder: "Search the log", "aria-label":
    "Search the log", onkeydown: searchKey });
  const found = el("span", { class: "dim" });
  const followButton = el("button", { "aria-pressed": "true", onclick: () => follow(true) },
    "Follow");
  const choice = el("select", { "aria-label": "Attempt", onchange: () => choose(choice.value) });
  fill(box, el("div", { class: "tools" }, search, found, choice, followButton), list);

  let place = null; // { run, step, generation, attempt }
  let lines = [];
  let [from, to, size] = [0, 0, 0];
  let isFollowing = true;
  let isReading = false;
  let isStale = false;
  let showsTimes = false;
  let marked = null;
  let matches = [];
  let matchAt = -1;
  let ticket = 0;

  function readLog(where, query) {
    const { run, step, generation, attempt } = where;
    return read(logPath(run, step, { generation, attempt, ...query }));
  }

  async function open(next, line) {
    ticket += 1;
    const own = ticket;
    place = next;
    list.setAttribute("aria-label", next ? `Output of ${next.name}` : "Output");
    [lines, from, to, size, matches, matchAt, marked] = [[], 0, 0, 0, [], -1, line ?? null];
    found.textContent = "";
    isFollowing = line == null;
    fill(list, el("div", { class: "note" }, next ? "reading…" : ""));
    if (!next) return;
    try {
      const start = line == null ? -windowBytes : Math.max(0, line - windowBytes / 2);
      const window = await readLog(next, { from: start, limit: windowBytes });
      if (own !== ticket) return;
      take(window, line);
      draw(line);
    } catch (error) {
      if (own === ticket) fill(list, el("div", { class: "note" }, noteOf(error)));
    }
  }

  function noteOf(error) {
    return error.status === 404 ? "no output yet" : error.message;
  }

  function take(window, line) {
    [lines, from, to, size] = [window.lines, window.from, window.to, window.size];
    if (lines.length > linesMax) {
      // Short lines: those around the wanted one, or the last ones.
      const wanted = line == null ? lines.length : lines.findIndex((one) => one.at >= line);
      const first = Math.max(0, Math.min(lines.length, wanted + linesMax / 2) - linesMax);
      if (first + linesMax < lines.length) to = lines[first + linesMax].at;
      lines = lines.slice(first, first + linesMax);
      from = lines[0].at;
    }
    place.shown = { generation: window.generation, attempt: window.attempt };
    if (window["left-out"]) say(`${bytesText(window["left-out"])} of the output were not kept`);
  }

  /** Reads what has been added, and what is before or after the lines on the screen. */
  async function extend(direction) {
    if (!place || isReading) {
      isStale ||= direction === "end";
      return;
    }
    isReading = true;
    const own = ticket;
    try {
      if (direction === "start") {
        const start = Math.max(0, from - windowBytes);
        const window = await readLog(place, { from: start, limit: Math.max(65537, from - start) });
        if (own !== ticket) return;
        if (isOther(window)) return void open(place);
        const before = window.lines.filter((line) => line.at < from);
        const top = list.firstElementChild;
        const offset = top?.getBoundingClientRect().top ?? 0;
        lines = [...before, ...lines].slice(0, linesMax);
        from = window.from;
        to = endOf(lines);
        draw();
        requestAnimationFrame(() => {
          const same = list.children[before.length];
          if (same && top) list.scrollTop += same.getBoundingClientRect().top - offset;
        });
      } else {
        const window = await readLog(place, { from: to, limit: windowBytes });
        if (own !== ticket) return;
        if (isOther(window)) return void open(place);
        const after = window.lines.filter((line) => line.at >= to);
        lines = [...lines, ...after].slice(-linesMax);
        if (lines.length) from = lines[0].at;
        [to, size] = [Math.max(to, window.to), window.size];
        draw();
        if (isFollowing && size - to > 4 * windowBytes) await open(place);
        else if (isFollowing && to < size && after.length) isStale = true;
      }
    } catch (error) {
      if (error.status !== 404) say(error.message, true);
    } finally {
      isReading = false;
      if (isStale) {
        isStale = false;
        extend("end");
      }
    }
  }

  /** Whether a window or a message is of another attempt than the one that is shown. */
  function isOther({ generation, attempt }) {
    const { shown } = place;
    return shown && (generation !== shown.generation || attempt !== shown.attempt);
  }

  function endOf(all) {
    const last = all.at(-1);
    return last ? last.at + new TextEncoder().encode(last.text).length + 1 : to;
  }

  // MARK: Drawing

  function lineElement(line) {
    const label = showsTimes && line.time ? clockText(line.time) : "";
    const mark = el("a", { class: "at", href: link(line.at), title: line.time ?? "",
      "aria-label": `link to byte ${line.at}` }, label || "·");
    const text = el("span");
    const wanted = matchAt >= 0 ? search.value.toLowerCase() : "";
    for (const piece of styledPieces(line.text)) addPiece(text, piece, wanted);
    const here = line.at === marked ? " here" : "";
    return el("div", { class: `line${here}`, "data-at": line.at }, mark, text);
  }

  function addPiece(text, { text: words, className }, wanted) {
    let rest = words;
    while (wanted && rest.toLowerCase().includes(wanted)) {
      const at = rest.toLowerCase().indexOf(wanted);
      if (at) text.append(el("span", { class: className }, rest.slice(0, at)));
      text.append(el("mark", {}, rest.slice(at, at + wanted.length)));
      rest = rest.slice(at + wanted.length);
    }
    if (rest) text.append(className ? el("span", { class: className }, rest) : rest);
  }

  let drawn = [];
  const drawNow = onceAFrame(() => {
    // Mostly, some lines have gone at the start and some have come at the end.
    const gone = drawn.indexOf(lines[0]);
    const kept = drawn.length - gone;
    if (gone < 0 || kept > lines.length || drawn.at(-1) !== lines[kept - 1]) {
      fill(list, lines.map(lineElement));
    } else {
      for (let count = 0; count < gone; count += 1) list.firstChild.remove();
      list.append(...lines.slice(kept).map(lineElement));
    }
    drawn = [...lines];
    if (!lines.length) fill(list, el("div", { class: "note" }, "no output yet"));
    followButton.setAttribute("aria-pressed", String(isFollowing));
    if (marked != null && !isFollowing) {
      list.querySelector(`[data-at="${marked}"]`)?.scrollIntoView({ block: "center" });
    } else if (isFollowing) {
      list.scrollTop = list.scrollHeight;
    }
  });

  function draw(line) {
    if (line !== undefined) drawn = [];
    drawNow();
  }

  function redraw() {
    drawn = [];
    drawNow();
  }

  list.addEventListener("scroll", () => {
    // A note takes the place of the lines while others are read: nobody has scrolled.
    if (list.firstElementChild?.className === "note") return;
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
    if (isFollowing !== isAtEnd && (to >= size || !isAtEnd)) {
      isFollowing = isAtEnd;
      if (isAtEnd) marked = null;
      followButton.setAttribute("aria-pressed", String(isFollowing));
    }
    if (list.scrollTop < 40 && from > 0 && !isFollowing) extend("start");
    if (isAtEnd && to < size) extend("end");
  });

  // MARK: Searching

  function searchKey(event) {
    event.stopPropagation();
    if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") list.focus();
  }

  async function nextMatch(direction) {
    const text = search.value;
    if (!text || !place) return;
    try {
      if (matches.text !== text) {
        const answer = await readLog(place, { find: text, from: 0 });
        matches = answer.matches;
        matches.text = text;
        matches.next = answer.next;
        matchAt = direction > 0 ? -1 : matches.length;
      }
      if (direction > 0 && matchAt + 1 >= matches.length && matches.next != null) {
        const answer = await readLog(place, { find: text, from: matches.next });
        const more = [...matches, ...answer.matches];
        [more.text, more.next] = [text, answer.next];
        matches = more;
      }
      if (!matches.length) {
        found.textContent = "not found";
        return;
      }
      matchAt = (matchAt + direction + matches.length) % matches.length;
      const more = matches.next == null ? "" : " or more";
      found.textContent = `${matchAt + 1} of ${matches.length}${more}`;
      await goTo(matches[matchAt].at);
    } catch (error) {
      say(error.message, true);
    }
  }

  async function goTo(at) {
    [marked, isFollowing] = [at, false];
    if (at >= from && at < to) return redraw();
    const kept = [matches, matchAt, found.textContent];
    await open(place, at);
    [matches, matchAt, found.textContent] = kept;
    return redraw();
  }

  function follow(isWanted) {
    isFollowing = isWanted;
    marked = null;
    if (isWanted && to < size) open(place);
    else drawNow();
  }

  function choose(value) {
    const [generation, attempt] = value.split(".").map(Number);
    open({ ...place, generation: generation || undefined, attempt: attempt || undefined });
  }

  return {
    open,
    /** The output has grown, or the step has ended. */
    grown(output) {
      if (!place) return;
      if (output && isOther(output)) {
        if (place.generation == null) open({ ...place });
        return;
      }
      if (output) size = Math.max(size, output.size);
      if (!lines.length) open({ ...place });
      else if (isFollowing) extend("end");
    },
    /** The attempts to choose from. */
    attempts(all) {
      const options = [["", "last attempt"], ...all.map((attempt) => [
        `${attempt.generation}.${attempt.attempt}`,
        `generation ${attempt.generation}, attempt ${attempt.attempt}`])];
      if (choice.options.length === options.length) return;
      const before = choice.value;
      fill(choice, options.map(([value, text]) => el("option", { value }, text)));
      choice.value = before;
      choice.hidden = options.length < 3;
    },
    step(by) {
      const next = Math.min(choice.options.length - 1, Math.max(0, choice.selectedIndex + by));
      choice.selectedIndex = next;
      choose(choice.value);
    },
    search: () => { search.focus(); search.select(); },
    next: () => nextMatch(1),
    previous: () => nextMatch(-1),
    firstError: async () => {
      search.value = "error";
      matches = [];
      await nextMatch(1);
    },
    scroll: (amount) => list.scrollBy(0, amount * (Math.abs(amount) > 1 ? 1 : list.clientHeight)),
    top: () => goTo(0),
    bottom: () => follow(true),
    toggleFollow: () => follow(!isFollowing),
    toggleWrap: () => list.classList.toggle("cut"),
    toggleTimes: () => { showsTimes = !showsTimes; redraw(); },
    focus: () => list.focus(),
    element: list,
  };
}
