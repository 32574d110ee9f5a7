// The graph on a canvas, for thousands of nodes, and the map of what is out of sight.

import { shapeOf } from "./dom.js";

/** Below this scale, letters could not be read: nodes are shown by their colour alone. */
export const farScale = 0.4;

/** The size of the map, and the room that it takes with its margins. */
export const map = { width: 210, height: 74, margin: 10 };

/** Makes a canvas as large as it is shown; returns its context. */
function prepared(canvas, width, height, isWhole) {
  const ratio = devicePixelRatio || 1;
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) {
    [canvas.width, canvas.height] = [columns, rows];
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (isWhole) context.clearRect(0, 0, width, height);
  return context;
}

function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const names = { succeeded: "--ok", running: "--run", failed: "--bad", waiting: "--wait",
    interrupted: "--wait", skipped: "--skip", cancelled: "--skip", "not-run": "--skip",
    pending: "--line", ready: "--faint" };
  const found = {};
  for (const [state, name] of Object.entries(names)) found[state] = style.getPropertyValue(name);
  for (const name of ["text", "dim", "line", "accent", "raise", "panel"]) {
    found[name] = style.getPropertyValue(`--${name}`);
  }
  found.family = getComputedStyle(document.body).fontFamily;
  return found;
}

/**
 * Draws nodes: `changed` are their positions. `drawing` has the nodes, their places and sizes, the
 * routes, and functions that return the state of a node, and all that is seen of it.
 */
export function drawCanvas(canvas, box, { x, y, scale }, drawing, changed, isWhole) {
  const [width, height] = [box.clientWidth, box.clientHeight];
  const context = prepared(canvas, width, height, isWhole);
  const colour = themeColours();
  const isSeen = (left, top, right, bottom) => right * scale + x > 0 && left * scale + x < width
    && bottom * scale + y > 0 && top * scale + y < height;
  context.lineWidth = Math.max(0.4, scale);
  context.strokeStyle = colour.line;
  context.beginPath();
  for (const route of isWhole ? new Set(drawing.layout.routes) : []) {
    for (let at = 1; at < route.length; at += 1) {
      const [from, to] = [route[at - 1], route[at]];
      if (!isSeen(from.x, Math.min(from.y, to.y), to.x, Math.max(from.y, to.y))) continue;
      context.moveTo(from.x * scale + x, from.y * scale + y);
      context.lineTo(to.x * scale + x, to.y * scale + y);
    }
  }
  context.stroke();
  for (const at of changed) {
    const [place, size] = [drawing.layout.nodes[at], drawing.sizes[at]];
    if (!isSeen(place.x, place.y - size.h / 2, place.x + place.w, place.y + size.h / 2)) continue;
    const look = drawing.lookOf(at);
    const [left, top] = [place.x * scale + x, (place.y - size.h / 2) * scale + y];
    context.fillStyle = scale < farScale ? colour[look.state] : colour.raise;
    context.fillRect(left, top, place.w * scale, size.h * scale);
    context.strokeStyle = look.isChosen ? colour.accent : colour[look.state];
    context.strokeRect(left, top, place.w * scale, size.h * scale);
    if (scale >= farScale) drawWords(context, colour, size, look, { left, top, scale });
  }
}

function drawWords(context, colour, size, { state, time }, { left, top, scale }) {
  const first = top + (size.wraps ? 15 : 18) * scale;
  context.fillStyle = colour.text;
  context.font = `600 ${12.5 * scale}px ${colour.family}`;
  size.lines.forEach((line, at) => {
    context.fillText(line, left + size.indent * scale, first + 15 * at * scale);
  });
  context.fillStyle = colour.dim;
  context.font = `${11 * scale}px ${colour.family}`;
  context.fillText(time, left + size.indent * scale,
    first + (15 * size.lines.length - 1) * scale);
  context.save();
  context.translate(left + (size.indent / 2 + 1) * scale, first - 4 * scale);
  context.scale(scale, scale);
  context.strokeStyle = colour[state];
  context.lineWidth = 2;
  context.stroke(new Path2D(shapeOf(state)));
  context.restore();
}

/** Draws the map: each node as a spot, and a frame around what is seen. */
export function drawMap(canvas, box, view, drawing, changed, isWhole) {
  const { layout } = drawing;
  const context = prepared(canvas, map.width, map.height, isWhole);
  const scale = mapScale(layout);
  const [left, top] = mapOrigin(layout);
  const colour = themeColours();
  for (const at of changed) {
    const [place, { h }] = [layout.nodes[at], drawing.sizes[at]];
    context.fillStyle = colour[drawing.stateAt(at)];
    context.fillRect(left + place.x * scale, top + (place.y - h / 2) * scale,
      Math.max(1, place.w * scale), Math.max(1, h * scale));
  }
  if (!changed.length) return;
  const frame = [left - (view.x / view.scale) * scale, top - (view.y / view.scale) * scale,
    (box.clientWidth / view.scale) * scale, (box.clientHeight / view.scale) * scale];
  context.strokeStyle = colour.accent;
  const [x, y] = [Math.max(1, frame[0]), Math.max(1, frame[1])];
  context.strokeRect(x, y, Math.min(map.width - 1, frame[0] + frame[2]) - x,
    Math.min(map.height - 1, frame[1] + frame[3]) - y);
}

/** How large the map draws a graph. */
export function mapScale(layout) {
  return Math.min((map.width - 8) / layout.width, (map.height - 8) / layout.height);
}

/** Where the map draws the left top corner of a graph. */
export function mapOrigin(layout) {
  const scale = mapScale(layout);
  return [(map.width - layout.width * scale) / 2, (map.height - layout.height * scale) / 2];
}
