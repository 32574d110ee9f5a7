// The graph of a run: SVG up to a number of nodes, a canvas beyond, with the same places.

import { el, fill, icon, onceAFrame, shape } from "./dom.js";
import { drawnFindings } from "./findings.js";
import { durationText, secondsBetween } from "./format.js";
import { stateOfMembers, visibleGraph } from "./groups.js";
import { layered } from "./layout.js";
import { stateOf, usualOf } from "./model.js";

const drawnAsElementsMax = 600;

/** Creates the view of a graph in an element; `choose` is called with the id of a step. */
export function makeGraph(box, { choose, now }) {
  const opened = new Set();
  const view = { x: 0, y: 0, scale: 1, isFitted: true };
  let run = null;
  let chosen = null;
  let graph = null;
  let layout = null;
  let drawnPlan = null;
  let isStale = false;
  let parts = [];
  let edgeParts = [];
  let findings = { lines: [], doubtful: new Set() };
  // What is on the canvas: for each node its state, and for which theme.
  let painted = { looks: null, theme: "" };

  const surface = el("div", { class: "surface" });
  const corner = el("div", { class: "corner" },
    el("button", { "aria-label": "Fit the graph", title: "Fit", onclick: () => fitAll() }, "⤢"),
    el("button", { "aria-label": "Zoom in", title: "Zoom in", onclick: () => zoom(1.25) }, "+"),
    el("button", { "aria-label": "Zoom out", title: "Zoom out", onclick: () => zoom(0.8) }, "−"));
  const mini = el("canvas", { class: "mini", "aria-hidden": "true" });
  fill(box, surface, mini, corner);

  function nodeHeight(node) { return node.members.length > 1 ? 50 : 42; }

  function nodeWidth(node) {
    return Math.min(260, Math.max(146, nodeName(node).length * 7.4 + (node.group ? 78 : 48)));
  }

  function nodeName(node) {
    const name = node.name ?? node.id;
    return name.length > 30 ? `${name.slice(0, 18)}…${name.slice(-9)}` : name;
  }

  function nodeState(node) {
    const states = node.members.map((id) => stateOf(run.byStep.get(id)));
    return states.length === 1 ? states[0] : stateOfMembers(states);
  }

  function nodeTime(node, state) {
    if (node.members.length > 1) {
      const over = node.members.filter((id) => run.byStep.get(id)?.ended).length;
      return `${over} of ${node.members.length}`;
    }
    const step = run.byStep.get(node.step);
    const usual = usualOf(run, node.step);
    if (state === "waiting") return "awaiting approval";
    if (state === "running") {
      const took = durationText(secondsBetween(step.started, now()));
      return usual ? `${took} of ~${durationText(usual)}` : took;
    }
    if (state === "skipped") return "skipped";
    if (step?.started && step?.ended) {
      const tries = step.attempt > 1 ? ` · attempt ${step.attempt}` : "";
      return durationText(secondsBetween(step.started, step.ended)) + tries;
    }
    return usual ? `~${durationText(usual)}` : state;
  }

  function rebuild() {
    graph = visibleGraph(run, opened);
    layout = layered(graph.nodes.length, graph.edges,
      (node) => ({ w: nodeWidth(graph.nodes[node]), h: nodeHeight(graph.nodes[node]) }));
    parts = [];
    edgeParts = [];
    painted.looks = null;
    if (graph.nodes.length <= drawnAsElementsMax) buildElements();
    else fill(surface, el("canvas", { role: "img", "aria-label": "Graph; names: see Table" }));
    if (view.isFitted) fitAll();
  }

  function buildElements() {
    const scene = el("g", { class: "scene" });
    graph.edges.forEach((_, at) => {
      const path = el("path", { class: "edge", d: pathOf(layout.routes[at]) });
      edgeParts.push(path);
      scene.append(path);
    });
    scene.append(...(findings = drawnFindings(run.files, graph, layout)).lines);
    graph.nodes.forEach((node, at) => {
      const part = buildNode(node, layout.nodes[at]);
      parts.push(part);
      scene.append(part.root);
    });
    fill(surface, el("svg", { class: "drawing", role: "group", "aria-label": "Graph" }, scene));
  }

  function buildNode(node, place) {
    const height = nodeHeight(node);
    const [x, y, w] = [place.x, place.y - height / 2, place.w];
    const open = () => {
      if (!node.group) return choose(node.step);
      opened.add(node.group);
      isStale = true;
      update();
    };
    const root = el("g", { class: "node", tabindex: 0, role: "button", onclick: open,
      onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") {
        event.preventDefault(); event.stopPropagation(); open(); } } });
    if (node.members.length > 1) {
      for (const by of [6, 3]) {
        root.append(el("rect", { class: "stack", x: x + by, y: y - by, width: w, height, rx: 9 }));
      }
    }
    root.append(el("rect", { class: "box", x, y, width: w, height, rx: 9 }));
    const part = el("rect", { class: "part", x: x + 1, y: y + height - 5, rx: 2, width: 0,
      height: 4 });
    const mark = el("g");
    const time = el("text", { class: "time", x: x + 30, y: y + 33 });
    const name = el("text", { class: "name", x: x + 30, y: y + 18 }, nodeName(node));
    root.append(part, mark, name, time);
    const cells = [];
    if (node.members.length > 1) {
      root.append(el("text", { class: "time", x: x + w - 8, y: y + 18, "text-anchor": "end" },
        `×${node.members.length}`));
      const columns = Math.min(node.members.length, 24);
      const width = (w - 42) / columns;
      node.members.slice(0, 48).forEach((_, index) => {
        const cell = el("rect", { x: x + 30 + (index % columns) * width, rx: 1, height: 3,
          y: y + 38 + Math.floor(index / columns) * 4.4, width: Math.max(1, width - 1.5) });
        cells.push(cell);
        root.append(cell);
      });
    }
    return { root, part, mark, time, cells, width: w, markAt: [x + 16, y + 17], state: "" };
  }

  function pathOf(route) {
    let path = `M${route[0].x} ${route[0].y}`;
    for (let at = 1; at < route.length; at += 1) {
      const [from, to] = [route[at - 1], route[at]];
      const middle = (from.x + to.x) / 2;
      path += from.y === to.y ? ` L${to.x} ${to.y}`
        : ` C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
    }
    return path;
  }

  function updateElements() {
    const states = graph.nodes.map(nodeState);
    graph.nodes.forEach((node, at) => {
      const part = parts[at];
      const state = states[at];
      const isChosen = node.members.includes(chosen);
      const time = nodeTime(node, state);
      const classes = `node ${state}${isChosen ? " chosen" : ""}`;
      if (part.classes !== classes) {
        part.classes = classes;
        part.root.setAttribute("class", classes);
        fill(part.mark, shape(state, ...part.markAt));
      }
      if (part.text !== time) {
        part.text = time;
        part.time.textContent = time;
      }
      const kind = node.group ? "group of steps, open with Enter" : "step";
      const label = `${node.name ?? node.id}, ${kind}, ${state}, ${time}`;
      if (part.label !== label) {
        part.label = label;
        part.root.setAttribute("aria-label", label);
      }
      const share = node.step ? run.progress[node.step]?.part ?? 0 : 0;
      if (part.share !== share) {
        part.share = share;
        part.part.setAttribute("width", (part.width - 2) * Math.min(1, share));
      }
      part.cells.forEach((cell, index) => {
        cell.setAttribute("class", `c-${stateOf(run.byStep.get(node.members[index]))}`);
      });
    });
    graph.edges.forEach(([from, to], at) => {
      const kind = edgeKind(from, to, states) + (findings.doubtful.has(at) ? " superfluous" : "");
      if (edgeParts[at].kind === kind) return;
      edgeParts[at].kind = kind;
      edgeParts[at].setAttribute("class", `edge ${kind}`);
    });
  }

  function edgeKind(from, to, states) {
    const isCritical = (node) => graph.nodes[node].members.some((id) => run.critical.has(id));
    if (isCritical(from) && isCritical(to)) return "critical";
    if (states[to] === "running") return "active";
    return states[from] === "succeeded" && states[to] !== "pending" ? "done" : "";
  }

  // MARK: Moving and drawing

  function fitAll() {
    if (!layout) return;
    const pad = 24;
    const [width, height] = [box.clientWidth, box.clientHeight];
    const [fitX, fitY] = [(width - 2 * pad) / layout.width, (height - 2 * pad) / layout.height];
    view.scale = Math.max(0.02, Math.min(1.15, fitX, fitY));
    view.x = (width - layout.width * view.scale) / 2;
    view.y = (height - layout.height * view.scale) / 2;
    view.isFitted = true;
    redraw();
  }

  function zoom(factor, x = box.clientWidth / 2, y = box.clientHeight / 2) {
    const scale = Math.min(3, Math.max(0.02, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    view.isFitted = false;
    redraw();
  }

  const paint = onceAFrame(() => {
    if (!run || !layout) return;
    const scene = surface.querySelector(".scene");
    if (scene) {
      scene.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
    }
    const { theme } = document.documentElement.dataset;
    const isWhole = !painted.looks || painted.theme !== theme;
    if (isWhole) painted = { looks: [], theme };
    // Of thousands of nodes, few change between two frames.
    const changedNodes = [];
    graph.nodes.forEach((node, at) => {
      const look = nodeState(node) + (node.members.includes(chosen) ? " chosen" : "");
      if (painted.looks[at] !== look) changedNodes.push(at);
      painted.looks[at] = look;
    });
    if (!scene) drawCanvas(surface.querySelector("canvas"), view, changedNodes, isWhole);
    drawMini(changedNodes, isWhole);
  });

  function redraw() {
    painted.looks = null;
    paint();
  }

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

  function colours() {
    const style = getComputedStyle(document.documentElement);
    const names = { succeeded: "--ok", running: "--run", failed: "--bad", waiting: "--wait",
      skipped: "--skip", cancelled: "--skip", pending: "--line", ready: "--faint" };
    const found = {};
    for (const [state, name] of Object.entries(names)) found[state] = style.getPropertyValue(name);
    for (const name of ["text", "line", "accent", "raise"]) {
      found[name] = style.getPropertyValue(`--${name}`);
    }
    return found;
  }

  function drawCanvas(canvas, { x, y, scale }, changedNodes, isWhole) {
    const [width, height] = [box.clientWidth, box.clientHeight];
    const context = prepared(canvas, width, height, isWhole);
    const colour = colours();
    const isSeen = (left, top, right, bottom) =>
      right * scale + x > 0 && left * scale + x < width
      && bottom * scale + y > 0 && top * scale + y < height;
    context.lineWidth = Math.max(0.4, scale);
    context.strokeStyle = colour.line;
    context.beginPath();
    for (const route of isWhole ? new Set(layout.routes) : []) {
      for (let at = 1; at < route.length; at += 1) {
        const [from, to] = [route[at - 1], route[at]];
        if (!isSeen(from.x, Math.min(from.y, to.y), to.x, Math.max(from.y, to.y))) continue;
        context.moveTo(from.x * scale + x, from.y * scale + y);
        context.lineTo(to.x * scale + x, to.y * scale + y);
      }
    }
    context.stroke();
    context.font = `${12 * scale}px sans-serif`;
    context.textBaseline = "middle";
    for (const at of changedNodes) {
      const node = graph.nodes[at];
      const place = layout.nodes[at];
      const size = nodeHeight(node);
      if (!isSeen(place.x, place.y - size / 2, place.x + place.w, place.y + size / 2)) continue;
      const state = nodeState(node);
      const [left, top] = [place.x * scale + x, (place.y - size / 2) * scale + y];
      // Small nodes are shown by their colour alone.
      context.fillStyle = scale < 0.35 ? colour[state] : colour.raise;
      context.fillRect(left, top, place.w * scale, size * scale);
      context.strokeStyle = node.members.includes(chosen) ? colour.accent : colour[state];
      context.strokeRect(left, top, place.w * scale, size * scale);
      if (scale < 0.35) continue;
      context.fillStyle = colour.text;
      context.fillText(nodeName(node), left + 12 * scale, top + (size / 2) * scale);
    }
  }

  function drawMini(changedNodes, isWhole) {
    const fits = layout.width * view.scale <= box.clientWidth + 1
      && layout.height * view.scale <= box.clientHeight + 1;
    mini.hidden = fits || box.clientWidth < 400;
    if (mini.hidden) return;
    const context = prepared(mini, 210, 74, isWhole);
    const scale = Math.min(202 / layout.width, 66 / layout.height);
    const colour = colours();
    for (const at of changedNodes) {
      const place = layout.nodes[at];
      context.fillStyle = colour[nodeState(graph.nodes[at])];
      context.fillRect(4 + place.x * scale, 4 + (place.y - 21) * scale,
        Math.max(1, place.w * scale), Math.max(1, 42 * scale));
    }
    if (!changedNodes.length) return;
    context.strokeStyle = colour.accent;
    context.strokeRect(4 + (-view.x / view.scale) * scale, 4 + (-view.y / view.scale) * scale,
      (box.clientWidth / view.scale) * scale, (box.clientHeight / view.scale) * scale);
  }

  let drag = null;
  surface.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX - view.x, y: event.clientY - view.y, moved: false,
      startX: event.clientX, startY: event.clientY };
  });
  addEventListener("pointermove", (event) => {
    if (!drag || !event.buttons) return;
    if (Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY) > 4) drag.moved = true;
    if (!drag.moved) return;
    [view.x, view.y, view.isFitted] = [event.clientX - drag.x, event.clientY - drag.y, false];
    redraw();
  });
  addEventListener("pointerup", () => { setTimeout(() => { drag = null; }, 0); });
  surface.addEventListener("click", (event) => {
    if (drag?.moved) return event.stopPropagation();
    if (surface.querySelector(".scene") || !layout) return undefined;
    const frame = box.getBoundingClientRect();
    const x = (event.clientX - frame.left - view.x) / view.scale;
    const y = (event.clientY - frame.top - view.y) / view.scale;
    const at = layout.nodes.findIndex((place, index) => x >= place.x && x <= place.x + place.w
      && Math.abs(y - place.y) <= nodeHeight(graph.nodes[index]) / 2);
    const node = graph.nodes[at];
    if (node?.group) {
      opened.add(node.group);
      isStale = true;
      update();
    } else if (node) {
      choose(node.step);
    }
    return undefined;
  }, true);
  box.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = box.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoom(Math.exp(-event.deltaY / 300), event.clientX - frame.left, event.clientY - frame.top);
    } else {
      [view.x, view.y, view.isFitted] = [view.x - event.deltaX, view.y - event.deltaY, false];
      redraw();
    }
  }, { passive: false });
  new ResizeObserver(() => (view.isFitted ? fitAll() : redraw())).observe(box);

  function update() {
    if (!run?.plan) return;
    if (run.plan !== drawnPlan || isStale) {
      [drawnPlan, isStale] = [run.plan, false];
      rebuild();
    }
    if (parts.length) updateElements();
    paint();
  }

  return {
    show(nextRun, nextChosen) {
      if (run?.id !== nextRun?.id) {
        opened.clear();
        view.isFitted = true;
      }
      [run, chosen] = [nextRun, nextChosen];
      update();
    },
  };
}

/** A legend of the states of a run, with the numbers of steps. */
export function legend(counted) {
  const order = ["succeeded", "running", "waiting", "failed", "cancelled", "skipped", "ready",
    "pending"];
  return order.filter((state) => counted[state]).map((state) =>
    el("span", {}, icon(state), `${counted[state]} ${state}`));
}
