// The log of a step: windows of its output from the server, never the whole of it.

import { logPath, read } from "./api.js";
import { el, fill, icon, onceAFrame } from "./dom.js";
import { downloadMax, keep, wholeLog } from "./download.js";
import { bytesText } from "./format.js";
import { lineElement } from "./lines.js";
import { stateWord } from "./model.js";

const linesMax = 1000;
const windowBytes = 128 * 1024;

/** The number of lines of a part of a log: a long one is in pieces. */
const countOf = (part) => part.filter((line) => !line.continues).length;

/**
 * Creates the log pane. `say` shows a message, `link` returns the address of a line, and `stateOf`
 * the state of a step.
 */
export function makeLog(box, { say, link, stateOf: stateOfStep }) {
  const list = el("div", { id: "log", tabindex: 0, role: "log", "aria-label": "Output",
    "aria-live": "off" });
  const search = el("input", { type: "search", placeholder: "Search the log", "aria-label":
    "Search the log", onkeydown: searchKey });
  const found = el("span", { class: "dim" });
  const followButton = el("button", { "aria-pressed": "true", onclick: () => follow(true) },
    "Follow");
  const timesButton = el("button", { "aria-pressed": "false", title: "Times of lines",
    onclick: () => toggleTimes() }, "Times");
  const keepButton = el("button", { title: "Keep the output as a file", "aria-label": "Download",
    onclick: () => download() }, icon("save"));
  const choice = el("select", { "aria-label": "Attempt", onchange: () => choose(choice.value) });
  fill(box, el("div", { class: "tools" }, search, found, choice, timesButton, keepButton,
    followButton), list);

  let place = null; // { run, step, generation, attempt }
  let lines = [];
  let [from, to, size] = [0, 0, 0];
  let isFollowing = true;
  let height = 0;
  let isReading = false;
  let isStale = false;
  let showsTimes = localStorage.getItem("times") === "true";
  // The number of the first line; null if it is unknown.
  let first = null;
  let marked = null;
  let matches = [];
  let matchAt = -1;
  let ticket = 0;

  function readLog(where, query) {
    const { run, step, generation, attempt, project } = where;
    return read(logPath(run, step, { generation, attempt, ...query }, project));
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
      const window = await readLog(next, { from: start, limit: windowBytes, numbered: 1 });
      if (own !== ticket) return;
      take(window, line);
      draw(line);
    } catch (error) {
      if (own === ticket) fill(list, el("div", { class: "note" }, noteOf(error)));
    }
  }

  function noteOf(error) {
    return error.status === 404 ? emptyNote() : error.message;
  }

  /** What is said of a step without output. */
  function emptyNote() {
    const state = stateOfStep(place.step);
    if (["succeeded", "failed", "interrupted"].includes(state)) return "(no output)";
    return ["skipped", "cancelled", "not-run"].includes(state) ? `(${stateWord(state)})`
      : "no output yet";
  }

  function take(window, line) {
    [lines, from, to, size] = [window.lines, window.from, window.to, window.size];
    first = window["left-out"] ? null : window["first-line"] ?? null;
    if (lines.length > linesMax) {
      // Short lines: those around the wanted one, or the last ones.
      const wanted = line == null ? lines.length : lines.findIndex((one) => one.at >= line);
      const cut = Math.max(0, Math.min(lines.length, wanted + linesMax / 2) - linesMax);
      if (cut + linesMax < lines.length) to = lines[cut + linesMax].at;
      if (first !== null) first += countOf(lines.slice(0, cut));
      lines = lines.slice(cut, cut + linesMax);
      from = lines[0].at;
    }
    number();
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
        const window = await readLog(place, { from: start, limit: Math.max(65537, from - start),
          numbered: 1 });
        if (own !== ticket) return;
        if (isOther(window)) return void open(place);
        const earlier = window.lines.filter((line) => line.at < from);
        const before = earlier.slice(-linesMax / 2);
        const skipped = earlier.slice(0, earlier.length - before.length);
        const top = list.firstElementChild;
        const offset = top?.getBoundingClientRect().top ?? 0;
        lines = [...before, ...lines].slice(0, linesMax);
        from = before[0]?.at ?? window.from;
        first = window["left-out"] ? null : window["first-line"] ?? null;
        if (first !== null) first += countOf(skipped);
        number();
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
        const all = [...lines, ...after];
        lines = all.slice(-linesMax);
        if (window["left-out"]) first = null;
        else if (first !== null) first += countOf(all.slice(0, all.length - lines.length));
        number();
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

  function elementOf(line) {
    return lineElement(line, { link: link(line.at), isMarked: line.at === marked,
      wanted: matchAt >= 0 ? search.value.toLowerCase() : "", showsTime: showsTimes });
  }

  /** Gives the lines their numbers, as far as they are known. */
  function number() {
    let next = first;
    for (const line of lines) {
      line.number = next;
      if (next !== null && !line.continues) next += 1;
    }
    list.style.setProperty("--digits", String(next ?? "").length);
  }

  let drawn = [];
  const drawNow = onceAFrame(() => {
    // Mostly, some lines have gone at the start and some have come at the end.
    const gone = drawn.indexOf(lines[0]);
    const kept = drawn.length - gone;
    if (gone < 0 || kept > lines.length || drawn.at(-1) !== lines[kept - 1]) {
      fill(list, lines.map(elementOf));
    } else {
      for (let count = 0; count < gone; count += 1) list.firstChild.remove();
      list.append(...lines.slice(kept).map(elementOf));
    }
    drawn = [...lines];
    if (!lines.length) fill(list, el("div", { class: "note" }, place ? emptyNote() : ""));
    timesButton.setAttribute("aria-pressed", String(showsTimes));
    keepButton.disabled = !lines.length;
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
    // What moves because its size has changed says nothing about the reader.
    if (list.clientHeight !== height) return;
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

  function toggleTimes() {
    showsTimes = !showsTimes;
    localStorage.setItem("times", String(showsTimes));
    redraw();
  }

  async function download() {
    if (!place) return;
    const { run, step, name } = place;
    try {
      keepButton.disabled = true;
      const { text, before } = await wholeLog({ ...place, ...place.shown });
      if (before) say(`the file has the last ${bytesText(downloadMax)} of the output`);
      keep(`${run} ${name ?? step}.log`, text);
    } catch (error) {
      say(error.message, true);
    } finally {
      keepButton.disabled = false;
    }
  }

  // A sheet that opens, and a window that changes its size, would show the start else.
  new ResizeObserver(() => {
    height = list.clientHeight;
    if (isFollowing) list.scrollTop = list.scrollHeight;
  }).observe(list);

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
      // Of a link to a line, the line is still wanted.
      if (!lines.length) open({ ...place }, marked ?? undefined);
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
    toggleTimes,
    focus: () => list.focus(),
    element: list,
  };
}
