// The timeline of a run: a bar for each attempt, with generations in place. Only what is seen is
// drawn, so that the number of steps does not matter.

import { el, fill, onceAFrame, shape } from "./dom.js";
import { beginningText, durationText } from "./format.js";
import { fitted, textWidth } from "./measure.js";
import { afterFailure, isOver, nameOf, stateOf, stateWord, usualOf } from "./model.js";

// Of the chosen row, which is the widest.
const nameFontOfRow = [11.5, 600];
const rowHeight = 20;
const headHeight = 24;

/**
 * The moments of a run in seconds from its start, and the seconds that its drawing spans. Pauses
 * between the end of a generation and a resume are left out, as in `reprise show --timeline`. Pure.
 */
export function timelineScale(run, now) {
  const start = Date.parse(run.generations[0]?.started ?? run.started);
  // The start of each generation, and the seconds that are left out before it.
  const pauses = [];
  let total = 0;
  run.generations.forEach((generation, index) => {
    const before = run.generations[index - 1]?.ended;
    const pause = generation.beginning === "resumed" && before
      ? Math.max(0, (Date.parse(generation.started) - Date.parse(before)) / 1000) : 0;
    total += pause;
    pauses.push({ from: Date.parse(generation.started), total, pause });
  });
  const at = (iso) => {
    const time = Date.parse(iso);
    const left = pauses.findLast(({ from }) => from <= time)?.total ?? 0;
    return (time - start) / 1000 - left;
  };
  const last = run.generations.at(-1);
  const end = run.live ? at(now) : at(last?.ended ?? run.ended ?? now);
  const expected = run.live && run.estimate ? end + run.estimate.seconds : null;
  return { at, now: run.live ? end : null, expected, span: Math.max(0.5, end, expected ?? 0),
    pauses: pauses.map(({ pause }) => pause) };
}

/** Round distances between ticks, of which about `count` fit. */
export function tickStep(span, count) {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
    1800, 3600, 7200, 14400, 28800, 86400];
  return steps.find((step) => span / step <= count) ?? Math.ceil(span / count / 86400) * 86400;
}

/** The text of a tick; as exact as the distance to the next one. */
function tickText(second, step) {
  return step < 0.1 ? `${second.toFixed(2)} s` : durationText(second);
}

/** Creates the view of a timeline in an element. */
export function makeTimeline(box, { choose, now }) {
  let run = null;
  let chosen = null;
  let onlyCritical = false;
  // The seconds that are shown; null for all.
  let range = null;
  const drawing = el("svg", { role: "list", "aria-label": "Timeline" });
  const spacer = el("div");
  const frame = el("div", { class: "dragged", hidden: true });
  const whole = el("button", { class: "whole", hidden: true, onclick: () => zoomTo(null) },
    "Whole run", el("kbd", {}, "Esc"));
  fill(box, spacer, drawing, frame, whole);

  let [found, foundFor, foundPath] = [[], "", null];
  let longestName = 60;

  /** The steps that have a row; found once for each message. */
  function rows() {
    const key = `${run.id} ${run.number} ${onlyCritical}`;
    if (key === foundFor && foundPath === run.critical) return found;
    [foundFor, foundPath] = [key, run.critical];
    found = run.order.filter((id) => {
      if (onlyCritical) return run.critical.has(id);
      return run.attempts.has(id) || stateOf(run.byStep.get(id)) !== "skipped";
    });
    const names = found.map((id) => nameOf(run, id));
    const most = names.reduce((length, name) => Math.max(length, name.length), 0);
    // Of thousands of names, only some can be the widest; measuring takes time.
    const longest = names.filter((name) => name.length >= most - 2).slice(0, 100);
    longestName = Math.max(60, ...longest.map((name) => textWidth(name, ...nameFontOfRow)));
    return found;
  }

  const draw = onceAFrame(() => {
    if (!run?.plan || !box.clientWidth) return;
    const all = rows();
    const height = headHeight + all.length * rowHeight + 12;
    spacer.style.height = `${height}px`;
    const scale = timelineScale(run, now());
    const { width, nameWidth, from, to } = shownRange(scale);
    const x = (seconds) => nameWidth + ((seconds - from) / (to - from)) * plotWidth();
    const first = Math.max(0, Math.floor((box.scrollTop - headHeight) / rowHeight));
    const last = Math.min(all.length, first + Math.ceil(box.clientHeight / rowHeight) + 2);
    const bottom = Math.min(height, box.scrollTop + box.clientHeight);
    drawing.setAttribute("width", width);
    drawing.setAttribute("height", bottom);
    const hatch = el("defs", {}, el("pattern", { id: "hatch", width: 6, height: 6,
      patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)" },
    el("line", { class: "hatch", x1: 0, y1: 0, x2: 0, y2: 6 })));
    const shown = all.slice(first, last).map((id, index) =>
      row(id, headHeight + (first + index) * rowHeight, x, scale, nameWidth, width));
    const plot = el("clipPath", { id: "plot" }, el("rect", { x: nameWidth - 1, y: 0,
      width: width - nameWidth + 1, height: bottom }));
    const drawnMarks = marks(x, scale, bottom, [from, to]).filter(Boolean);
    whole.hidden = range === null;
    const isText = (mark) => mark.tagName === "text";
    // The scale stays at the top; rows scroll beneath it.
    fill(drawing, hatch, plot, drawnMarks.filter((mark) => !isText(mark)), shown,
      el("rect", { class: "scale", x: 0, y: box.scrollTop, width, height: 17 }),
      drawnMarks.filter(isText));
  });

  const plotWidth = () => {
    const { width, nameWidth } = sizes();
    return width - nameWidth - 64;
  };

  function sizes() {
    const width = Math.max(320, box.clientWidth - 4);
    return { width, nameWidth: Math.min(longestName + 38, Math.max(90, width * 0.32), 260) };
  }

  function shownRange(scale) {
    const [from, to] = range ?? [0, scale.span];
    return { ...sizes(), from, to };
  }

  /** Shows some seconds of the run, or all. */
  function zoomTo(next) {
    const { span } = timelineScale(run, now());
    range = null;
    if (next) {
      const length = Math.min(span, Math.max(0.02, next[1] - next[0]));
      const from = Math.min(Math.max(0, next[0]), span - length);
      range = length >= span ? null : [from, from + length];
    }
    draw();
  }

  function marks(x, scale, bottom, [from, to]) {
    const found = [];
    const taken = [];
    const top = box.scrollTop;
    const label = (name, at, text, anchor = "start", size = 7) => {
      const length = text.length * size;
      const left = anchor === "start" ? at : anchor === "end" ? at - length : at - length / 2;
      if (taken.some(([from, to]) => left < to && left + length > from)) return null;
      taken.push([left - 6, left + length + 6]);
      return el("text", { class: name, x: at, y: top + 13, "text-anchor": anchor }, text);
    };
    const line = (name, at) =>
      el("line", { class: name, x1: at, x2: at, y1: top + 17, y2: bottom });
    if (scale.now != null) {
      found.push(line("now", x(scale.now)), label("now-text", x(scale.now), "now", "middle"));
    }
    if (scale.expected != null) {
      found.push(label("now-text", x(scale.expected), `≈ ${durationText(scale.expected)}`));
    }
    for (const generation of run.generations.slice(1)) {
      const at = x(scale.at(generation.started));
      const pause = scale.pauses[run.generations.indexOf(generation)];
      const after = pause > 0 ? `, ${durationText(pause)} after` : "";
      const words = `generation ${generation.generation}: ${beginningText(generation)}${after}`;
      const mark = line(pause > 0 ? "restart cut" : "restart", at);
      mark.append(el("title", {}, words));
      // On the side that has more room.
      const isLeft = at > x((from + to) / 2);
      const text = pause > 0 ? `resumed${after}` : `generation ${generation.generation}`;
      found.push(mark, label("restart-text", at + (isLeft ? -4 : 4), text, isLeft ? "end"
        : "start"));
    }
    const step = tickStep(to - from, Math.max(2, plotWidth() / 80));
    for (let second = Math.ceil(from / step) * step; second <= to; second += step) {
      found.push(line("tick", x(second)),
        label("label", x(second) + 3, second ? tickText(second, step) : "0"));
    }
    const left = x(from);
    return found.filter((mark) => !range || (mark && Number(mark.getAttribute("x")
      ?? mark.getAttribute("x1")) >= left - 1));
  }

  function row(id, y, x, scale, nameWidth, width) {
    const step = run.byStep.get(id);
    const state = stateOf(step);
    const group = el("g", { class: `row${id === chosen ? " chosen" : ""}`, role: "listitem",
      onclick: () => choose(id) });
    const full = nameOf(run, id);
    const name = fitted(full, nameWidth - 32, ...nameFontOfRow);
    const bars = el("g", { "clip-path": "url(#plot)" });
    group.append(el("title", {}, `${full}: ${stateWord(state)}`),
      el("rect", { class: "hit", x: 0, y, width, height: rowHeight }), shape(state, 14, y + 10),
      el("text", { class: "row-name", x: 26, y: y + 14 }, name), bars);
    const attempts = run.attempts.get(id) ?? [];
    let labelAt = null;
    let labelText = "";
    for (const attempt of attempts) {
      const isPast = attempt.generation < run.generation && attempt !== attempts.at(-1);
      const from = scale.at(attempt.started);
      const to = attempt.ended ? scale.at(attempt.ended) : scale.now ?? scale.span;
      const waited = attempt.ready ? scale.at(attempt.ready) : from;
      if (from - waited > scale.span / 300) {
        bars.append(el("line", { class: "waited", x1: x(waited), x2: x(from), y1: y + 10,
          y2: y + 10 }));
      }
      const kind = `bar c-${attempt.state}${isPast || attempt.state === "cancelled" ? " old" : ""}`;
      bars.append(el("rect", { class: kind, x: x(from), y: y + 4, rx: 3, height: 11,
        width: Math.max(2, x(to) - x(from)) }));
      [labelAt, labelText] = [to, durationText(to - from)];
    }
    labelText += afterFailure(run, id);
    const lastStart = attempts.length ? scale.at(attempts.at(-1).started) : null;
    const usual = usualOf(run, id);
    if (usual && lastStart != null && x(usual) - x(0) > 4) {
      bars.append(el("rect", { class: "usual", x: x(lastStart), y: y + 2.5, rx: 4, height: 14,
        width: x(usual) - x(0) }));
      if (state === "running" && scale.now < lastStart + usual) {
        bars.append(el("rect", { class: "expected", x: x(scale.now), y: y + 4, rx: 3, height: 11,
          width: x(lastStart + usual) - x(scale.now) }));
      }
      labelAt = Math.max(labelAt, lastStart + usual);
    }
    if (run.critical.has(id) && lastStart != null) {
      const end = isOver(step) ? scale.at(step.ended ?? now()) : scale.span;
      bars.append(el("line", { class: "critical-line", x1: x(lastStart), y1: y + 18, y2: y + 18,
        x2: Math.max(x(lastStart) + 2, x(end)) }));
    }
    if (labelAt == null && usual && run.live) {
      [labelAt, labelText] = [scale.now, `~${durationText(usual)}`];
    }
    if (state === "not-run") [labelAt, labelText] = [labelAt ?? 0, `not run: ${step["not-run"]}`];
    if (labelAt != null) {
      bars.append(el("text", { class: "bar-label", x: x(Math.min(labelAt, scale.span)) + 5,
        y: y + 14 }, labelText));
    }
    return group;
  }

  box.addEventListener("scroll", draw);
  // MARK: Zooming

  /** The second at a place of the screen. */
  function secondAt(clientX) {
    const { nameWidth, from, to } = shownRange(timelineScale(run, now()));
    const at = (clientX - box.getBoundingClientRect().left - nameWidth) / plotWidth();
    return from + at * (to - from);
  }

  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    const left = event.clientX - box.getBoundingClientRect().left;
    if (!run || event.button !== 0 || event.pointerType === "touch" || left < sizes().nameWidth
      || whole.contains(event.target)) return;
    drag = { from: event.clientX, to: event.clientX };
  });
  addEventListener("pointermove", (event) => {
    if (!drag || !event.buttons) return;
    drag.to = event.clientX;
    frame.hidden = Math.abs(drag.to - drag.from) < 5;
    const edge = box.getBoundingClientRect();
    const inside = (at) => Math.min(Math.max(at - edge.left, sizes().nameWidth), edge.width);
    const [start, end] = [inside(drag.from), inside(drag.to)].sort((a, b) => a - b);
    Object.assign(frame.style, { left: `${start}px`, width: `${end - start}px`,
      top: `${box.scrollTop}px`, height: `${box.clientHeight}px` });
  });
  addEventListener("pointerup", () => {
    if (drag && !frame.hidden) {
      zoomTo([drag.from, drag.to].map(secondAt).sort((a, b) => a - b));
      // The click that follows chooses nothing.
      addEventListener("click", (event) => event.stopPropagation(), { capture: true, once: true });
    }
    frame.hidden = true;
    drag = null;
  });
  box.addEventListener("dblclick", () => zoomTo(null));
  box.addEventListener("wheel", (event) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!run || (!isZoom && !(range && event.deltaX))) return;
    event.preventDefault();
    const [from, to] = range ?? [0, timelineScale(run, now()).span];
    if (!isZoom) {
      const by = (event.deltaX / plotWidth()) * (to - from);
      zoomTo([from + by, to + by]);
      return;
    }
    const at = secondAt(event.clientX);
    const factor = Math.exp(event.deltaY / 300);
    zoomTo([at - (at - from) * factor, at + (to - at) * factor]);
  }, { passive: false });
  new ResizeObserver(draw).observe(box);

  let drawnAt = 0;
  let timer = null;

  return {
    show(nextRun, nextChosen, isPath) {
      if (nextRun?.id !== run?.id) range = null;
      const isOther = nextRun !== run || nextChosen !== chosen || isPath !== onlyCritical;
      [run, chosen, onlyCritical] = [nextRun, nextChosen, isPath];
      // Bars move slowly: five times a second are enough.
      const wait = isOther ? 0 : Math.max(0, drawnAt + 200 - performance.now());
      if (timer && !isOther) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = null;
        drawnAt = performance.now();
        draw();
      }, wait);
    },
    /** Shows the whole run again; returns whether a part was shown. */
    showWhole() {
      if (!range) return false;
      zoomTo(null);
      return true;
    },
    reveal(id) {
      const at = run ? rows().indexOf(id) : -1;
      const y = headHeight + at * rowHeight - box.scrollTop;
      if (at < 0 || (y >= 0 && y + rowHeight <= box.clientHeight)) return;
      box.scrollTop += y - box.clientHeight / 2;
    },
  };
}
