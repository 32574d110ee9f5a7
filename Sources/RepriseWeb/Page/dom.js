// Makes elements. Text only ever becomes text: nothing that a step prints can become markup.

import { visible } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const svgNames = new Set([
  "svg", "g", "path", "rect", "text", "line", "circle", "defs", "pattern", "title",
  "clipPath",
]);

/** Creates an element with attributes, listeners (`onclick`, …) and children. */
export function el(name, attributes = {}, ...children) {
  const element =
    svgNames.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : visible(String(value)));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child != null && child !== false) element.append(visible(String(child)));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

export const byId = (id) => document.getElementById(id);

// Drawn rather than written, so that no font needs them; they differ in shape as well as in colour.
const shapes = {
  succeeded: "M-4 0l3 3 5-6", running: "M-3-4.5l7 4.5-7 4.5z", failed: "M-3.5-3.5l7 7M3.5-3.5l-7 7",
  waiting: "M-2-3.5v7M2-3.5v7", pending: "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
  ready: "M-3.5 0a3.5 3.5 0 1 0 7 0", skipped: "M-4 2a4 4 0 0 1 7-2M4-3v3.4h-3.4",
  "not-run": "M-4 0h8",
  cancelled: "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M-2.5 2.5l5-5",
  interrupted: "M1-4.5l-4 5h5l-3 4.5", queued: "M-4 0h.1M0 0h.1M4 0h.1",
  "timed-out": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M0-2.5v2.5l2 1.5",
  abandoned: "M0-4.5v5M0 4v.1", again: "M-5-5v10M-2-5v10M2.5-2v.1M2.5 2v.1",
  trigger: "M-4-2a6 6 0 0 1 8 0M-2 1a3 3 0 0 1 4 0M0 4v.1",
  save: "M0-5v7M-3-1l3 3 3-3M-5 5h10",
  brand: "M-5-6v12M-2-6v12M2-2.2v.1M2 2.2v.1M5-4.5a6 6 0 0 1 0 9",
};

/** The path of an icon, around its middle. */
export const shapeOf = (name) => shapes[name] ?? shapes.pending;

/** The path of an icon in a drawing. */
export function shape(name, x, y) {
  const solid = name === "running" ? " solid" : "";
  return el("path", {
    class: `drawn c-${name}${solid}`, d: shapeOf(name),
    transform: `translate(${x} ${y})`,
  });
}

/** An icon in text; words next to it say the same. */
export function icon(name) {
  return el("svg", { class: `icon c-${name}`, viewBox: "-7 -7 14 14", "aria-hidden": "true" },
    shape(name, 0, 0));
}

/** Runs a function before the next frame, once for any number of calls. */
export function onceAFrame(work) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      work();
    });
  };
}
