// The nodes of the graph: their sizes, names and times, and their elements.

import { el, fill, shape } from "./dom.js";
import { durationText, secondsBetween } from "./format.js";
import { stateOfMembers } from "./groups.js";
import { fitted, textWidth } from "./measure.js";
import { afterFailure, isOver, stateOf, stateWord, usualOf } from "./model.js";

/**
 * How much room nodes and gaps take, from wide to narrow. What does not fit becomes narrower first:
 * letters only become smaller after that.
 */
export const densities = [
  { gapX: 46, gapY: 16, least: 140, most: 260, indent: 30, end: 12, wraps: false },
  { gapX: 30, gapY: 12, least: 104, most: 220, indent: 30, end: 10, wraps: false },
  { gapX: 15, gapY: 8, least: 60, most: 132, indent: 20, end: 6, wraps: true },
];

// Sizes and weights of letters, as the style has them.
const nameFont = [12.5, 600];
const timeFont = [11];
// A bar of more steps than this has a share for each state, in this order.
const cellsMax = 24;
const barOrder = ["failed", "waiting", "running", "interrupted", "succeeded", "cancelled",
  "not-run", "skipped", "ready", "pending"];

/** The lines of a name: two if it is long and has a place to break. */
function linesOf(name, wraps) {
  if (!wraps || name.length < 10) return [name];
  let best = null;
  for (const { index } of name.matchAll(/[-_./: ](?=.)/g)) {
    const lines = [name.slice(0, index + 1).trim(), name.slice(index + 1)];
    const longest = Math.max(...lines.map((line) => line.length));
    if (!best || longest < best.longest) best = { lines, longest };
  }
  return best?.lines ?? [name];
}

/** The size of a node and the lines of its name. */
export function nodeSize(node, density) {
  const isGroup = node.members.length > 1;
  const count = isGroup ? `×${node.members.length}` : "";
  const beside = density.indent + density.end + (isGroup ? textWidth(count, ...timeFont) + 8 : 0);
  const all = linesOf(node.name ?? node.id, density.wraps);
  const lines = all.map((line) => fitted(line, density.most - beside, ...nameFont));
  const wide = Math.max(...lines.map((line) => textWidth(line, ...nameFont))) + beside;
  const w = Math.ceil(Math.min(density.most, Math.max(density.least, wide)));
  const h = (density.wraps ? 21 : 27) + 15 * lines.length + (isGroup ? 8 : 0);
  return { w, h, lines, count, ...density };
}

/** The state of a node; of a group, what needs attention first. */
export function nodeState(run, node) {
  const states = node.members.map((id) => stateOf(run.byStep.get(id)));
  return states.length === 1 ? states[0] : stateOfMembers(states);
}

/** Whether all failures in a node are such that the run goes on. */
function isTolerated(run, node) {
  return node.members.every((id) => run.byStep.get(id)?.state !== "failed"
    || afterFailure(run, id));
}

/** What is said below the name, from long to short: what fits is shown. */
export function nodeTimes(run, node, state, now) {
  if (node.members.length > 1) {
    const over = node.members.filter((id) => run.byStep.get(id)?.ended).length;
    return [`${over} of ${node.members.length}`];
  }
  const step = run.byStep.get(node.step);
  const usual = usualOf(run, node.step);
  if (state === "waiting") return ["awaiting approval", "approval?", ""];
  if (state === "running") {
    const took = durationText(secondsBetween(step.started, now));
    return usual ? [`${took} of ~${durationText(usual)}`, took] : [took];
  }
  if (state === "skipped") return ["skipped", ""];
  if (state === "not-run") return [`not run: ${step["not-run"]}`, "not run", ""];
  if (step?.started && step?.ended) {
    const took = durationText(secondsBetween(step.started, step.ended));
    const again = step.attempt > 1 ? ` · attempt ${step.attempt}` : "";
    const after = afterFailure(run, node.step);
    return again || after ? [took + again + after, took] : [took];
  }
  // The icon says the same as the word.
  return usual && !isOver(step) ? [`~${durationText(usual)}`, ""] : [state, ""];
}

/** The first of some texts that fits into a node; the last one if none does. */
export function fittingTime(times, size, w) {
  const room = w - size.indent - size.end;
  const found = times.find((text) => textWidth(text, ...timeFont) <= room);
  return found ?? fitted(times.at(-1), room, ...timeFont);
}

/** Makes the elements of a node at its place; `open` is called for a click. */
export function buildNode(node, place, size, open) {
  const [x, y, w, h] = [place.x, place.y - size.h / 2, place.w, size.h];
  const root = el("g", { class: "node", tabindex: 0, role: "button", onclick: open,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") {
      event.preventDefault(); event.stopPropagation(); open(); } } });
  const isGroup = node.members.length > 1;
  for (const by of isGroup ? [5, 2.5] : []) {
    root.append(el("rect", { class: "stack", x: x + by, y: y - by, width: w, height: h, rx: 8 }));
  }
  root.append(el("rect", { class: "box", x, y, width: w, height: h, rx: 8 }));
  const part = el("rect", { class: "part", x: x + 1, y: y + h - 5, rx: 2, width: 0, height: 4 });
  const mark = el("g", { class: "mark" });
  const top = y + (size.wraps ? 15 : 18);
  const time = el("text", { class: "time", x: x + size.indent,
    y: top + 15 * size.lines.length - 1 });
  root.append(el("title", {}, node.name ?? node.id), part, mark,
    ...size.lines.map((line, at) => el("text", { class: "name", x: x + size.indent,
      y: top + 15 * at }, line)), time);
  let bar = null;
  if (isGroup) {
    bar = { x: x + size.indent, width: w - size.indent - size.end, y: y + h - 10, text: "",
      box: el("g", { class: "bar-of-states" }) };
    root.append(bar.box, el("text", { class: "time", x: x + w - 7, y: top, "text-anchor": "end" },
      size.count));
  }
  return { root, part, mark, time, bar, width: w, size,
    markAt: [x + size.indent / 2 + (size.wraps ? 0 : 1), top - 4] };
}

/** Draws the states of a group: a cell for each of a few steps, or a share for each state. */
function updateBar(bar, states) {
  const text = states.join();
  if (bar.text === text) return;
  bar.text = text;
  const counted = new Map(barOrder.map((state) => [state, 0]));
  for (const state of states) counted.set(state, (counted.get(state) ?? 0) + 1);
  const cells = states.length <= cellsMax ? states.map((state) => [state, 1])
    : [...counted].filter(([, count]) => count);
  let at = bar.x;
  fill(bar.box, cells.map(([state, count]) => {
    const width = (bar.width * count) / states.length;
    const cell = el("rect", { class: `c-${state}`, x: at, y: bar.y, rx: 1, height: 4,
      width: Math.max(1.5, width - 1.2) });
    at += width;
    return cell;
  }));
}

/** Draws what has changed of a node. */
export function updateNode(part, run, node, state, chosen, now) {
  const tolerated = state === "failed" && isTolerated(run, node) ? " tolerated" : "";
  const classes = `node ${state}${tolerated}${node.members.includes(chosen) ? " chosen" : ""}`;
  if (part.classes !== classes) {
    part.classes = classes;
    part.root.setAttribute("class", classes);
    fill(part.mark, shape(state, ...part.markAt));
  }
  const times = nodeTimes(run, node, state, now);
  if (part.times !== times[0]) {
    part.times = times[0];
    part.time.textContent = fittingTime(times, part.size, part.width);
  }
  const kind = node.group ? "group of steps, open with Enter" : "step";
  const word = stateWord(state);
  const words = times[0].startsWith(word) ? times[0] : `${word}, ${times[0]}`;
  const label = `${node.name ?? node.id}, ${kind}, ${words}`;
  if (part.label !== label) {
    part.label = label;
    part.root.setAttribute("aria-label", label);
  }
  const share = node.step ? run.progress[node.step]?.part ?? 0 : 0;
  if (part.share !== share) {
    part.share = share;
    part.part.setAttribute("width", (part.width - 2) * Math.min(1, share));
  }
  if (part.bar) updateBar(part.bar, node.members.map((id) => stateOf(run.byStep.get(id))));
}
