// The timeline of a run: a bar for each attempt, with generations in place. Only what is seen is
// drawn, so that the number of steps does not matter.

import { el, fill, onceAFrame, shape } from "./dom.js";
import { beginningText, durationText } from "./format.js";
import { isOver, stateOf, usualOf } from "./model.js";

const rowHeight = 20;
const headHeight = 24;

/** The moments of a run in seconds from its start, and the seconds that its drawing spans. Pure. */
export function timelineScale(run, now) {
  const start = Date.parse(run.generations[0]?.started ?? run.started);
  const at = (iso) => (Date.parse(iso) - start) / 1000;
  const last = run.generations.at(-1);
  const end = run.live ? at(now) : at(last?.ended ?? run.ended ?? now);
  const expected = run.live && run.estimate ? end + run.estimate.seconds : null;
  return { at, now: run.live ? end : null, expected, span: Math.max(0.5, end, expected ?? 0) };
}

/** Round distances between ticks, of which about `count` fit. */
export function tickStep(span, count) {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
    14400, 28800, 86400];
  return steps.find((step) => span / step <= count) ?? Math.ceil(span / count / 86400) * 86400;
}

/** Creates the view of a timeline in an element. */
export function makeTimeline(box, { choose, now }) {
  let run = null;
  let chosen = null;
  let onlyCritical = false;
  let zoomed = 1;
  const drawing = el("svg", { role: "list", "aria-label": "Timeline" });
  const spacer = el("div");
  fill(box, spacer, drawing);

  let [found, foundFor] = [[], ""];

  /** The steps that have a row; found once for each message. */
  function rows() {
    const key = `${run.id} ${run.number} ${onlyCritical}`;
    if (key === foundFor) return found;
    foundFor = key;
    found = run.order.filter((id) => {
      if (onlyCritical) return run.critical.has(id);
      return run.attempts.has(id) || stateOf(run.byStep.get(id)) !== "skipped";
    });
    return found;
  }

  const draw = onceAFrame(() => {
    if (!run?.plan || !box.clientWidth) return;
    const all = rows();
    const nameWidth = Math.min(190, Math.max(90, box.clientWidth * 0.16));
    const width = Math.max(320, (box.clientWidth - 4) * zoomed);
    const height = headHeight + all.length * rowHeight + 12;
    spacer.style.width = `${width}px`;
    spacer.style.height = `${height}px`;
    const scale = timelineScale(run, now());
    const x = (seconds) => nameWidth + (seconds / scale.span) * (width - nameWidth - 64);
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
    const drawnMarks = marks(x, scale, bottom).filter(Boolean);
    const isText = (mark) => mark.tagName === "text";
    // The scale stays at the top; rows scroll beneath it.
    fill(drawing, hatch, drawnMarks.filter((mark) => !isText(mark)), shown,
      el("rect", { class: "scale", x: 0, y: box.scrollTop, width, height: 17 }),
      drawnMarks.filter(isText));
  });

  function marks(x, scale, bottom) {
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
      const mark = line("restart", at);
      mark.append(el("title", {},
        `generation ${generation.generation}: ${beginningText(generation)}`));
      found.push(mark, label("restart-text", at - 4, `generation ${generation.generation}`, "end"));
    }
    const step = tickStep(scale.span, Math.max(2, (x(scale.span) - x(0)) / 80));
    for (let second = 0; second <= scale.span; second += step) {
      found.push(line("tick", x(second)),
        label("label", x(second) + 3, second ? durationText(second) : "0"));
    }
    return found;
  }

  function row(id, y, x, scale, nameWidth, width) {
    const step = run.byStep.get(id);
    const state = stateOf(step);
    const group = el("g", { class: `row${id === chosen ? " chosen" : ""}`, role: "listitem",
      onclick: () => choose(id) });
    const letters = Math.floor((nameWidth - 30) / 6.4);
    const name = id.length > letters ? `${id.slice(0, letters - 5)}…${id.slice(-4)}` : id;
    group.append(el("title", {}, `${id}: ${state}`),
      el("rect", { class: "hit", x: 0, y, width, height: rowHeight }), shape(state, 14, y + 10),
      el("text", { class: "row-name", x: 26, y: y + 14 }, name));
    const attempts = run.attempts.get(id) ?? [];
    let labelAt = null;
    let labelText = "";
    for (const attempt of attempts) {
      const isPast = attempt.generation < run.generation && attempt !== attempts.at(-1);
      const from = scale.at(attempt.started);
      const to = attempt.ended ? scale.at(attempt.ended) : scale.now ?? scale.span;
      const waited = attempt.ready ? scale.at(attempt.ready) : from;
      if (from - waited > scale.span / 300) {
        group.append(el("line", { class: "waited", x1: x(waited), x2: x(from), y1: y + 10,
          y2: y + 10 }));
      }
      const kind = `bar c-${attempt.state}${isPast || attempt.state === "cancelled" ? " old" : ""}`;
      group.append(el("rect", { class: kind, x: x(from), y: y + 4, rx: 3, height: 11,
        width: Math.max(2, x(to) - x(from)) }));
      [labelAt, labelText] = [to, durationText(to - from)];
    }
    const lastStart = attempts.length ? scale.at(attempts.at(-1).started) : null;
    const usual = usualOf(run, id);
    if (usual && lastStart != null && x(usual) - x(0) > 4) {
      group.append(el("rect", { class: "usual", x: x(lastStart), y: y + 2.5, rx: 4, height: 14,
        width: x(usual) - x(0) }));
      if (state === "running" && scale.now < lastStart + usual) {
        group.append(el("rect", { class: "expected", x: x(scale.now), y: y + 4, rx: 3, height: 11,
          width: x(lastStart + usual) - x(scale.now) }));
      }
      labelAt = Math.max(labelAt, lastStart + usual);
    }
    if (run.critical.has(id) && lastStart != null) {
      const end = isOver(step) ? scale.at(step.ended ?? now()) : scale.span;
      group.append(el("line", { class: "critical-line", x1: x(lastStart), y1: y + 18, y2: y + 18,
        x2: Math.max(x(lastStart) + 2, x(end)) }));
    }
    if (labelAt == null && usual && run.live) {
      [labelAt, labelText] = [scale.now, `~${durationText(usual)}`];
    }
    if (labelAt != null) {
      group.append(el("text", { class: "bar-label", x: x(Math.min(labelAt, scale.span)) + 5,
        y: y + 14 }, labelText));
    }
    return group;
  }

  box.addEventListener("scroll", draw);
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const next = Math.min(40, Math.max(1, zoomed * Math.exp(-event.deltaY / 300)));
    const at = event.clientX - box.getBoundingClientRect().left;
    const left = ((box.scrollLeft + at) / zoomed) * next - at;
    zoomed = next;
    draw();
    requestAnimationFrame(() => { box.scrollLeft = left; });
  }, { passive: false });
  new ResizeObserver(draw).observe(box);

  let drawnAt = 0;
  let timer = null;

  return {
    show(nextRun, nextChosen, isPath) {
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
    reveal(id) {
      const at = run ? rows().indexOf(id) : -1;
      const y = headHeight + at * rowHeight - box.scrollTop;
      if (at < 0 || (y >= 0 && y + rowHeight <= box.clientHeight)) return;
      box.scrollTop += y - box.clientHeight / 2;
    },
  };
}
