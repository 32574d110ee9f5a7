// The graph of a run: SVG up to a number of nodes, a canvas beyond, with the same places.

import { readableView, revealing, seesAll, wholeView } from "./camera.js";
import { drawCanvas, drawMap, farScale, map, mapOrigin, mapScale } from "./canvas.js";
import { el, fill, icon, onceAFrame } from "./dom.js";
import { drawnFindings } from "./findings.js";
import { visibleGraph } from "./groups.js";
import { layered } from "./layout.js";
import { stateWord } from "./model.js";
import { buildNode, densities, fittingTime, nodeSize, nodeState, nodeTimes, updateNode }
  from "./nodes.js";

const drawnAsElementsMax = 600;

/** Creates the view of a graph in an element; `choose` is called with the id of a step. */
export function makeGraph(box, { choose, now }) {
  const opened = new Set();
  // How the view came about: "readable" as it opens, "whole" by a button, "free" by a person.
  let view = { x: 0, y: 0, scale: 1 };
  let mode = "readable";
  let run = null;
  let chosen = null;
  let shownChosen = null;
  let graph = null;
  let layout = null;
  let sizes = [];
  let drawnPlan = null;
  let isStale = false;
  let parts = [];
  let edgeParts = [];
  let findings = { lines: [], doubtful: new Set() };
  // What is on the canvas: for each node its state, and for which theme.
  let painted = { looks: null, theme: "" };

  const surface = el("div", { class: "surface" });
  const button = (name, sign, onclick) =>
    el("button", { "aria-label": name, title: name, onclick }, sign);
  const closing = button("Close the opened groups", "⊟", () => {
    opened.clear();
    isStale = true;
    update();
  });
  const corner = el("div", { class: "corner" }, closing,
    button("Show the whole graph", "⤢", () => showWhole()),
    button("Zoom in", "+", () => zoom(1.25)), button("Zoom out", "−", () => zoom(0.8)));
  closing.hidden = true;
  const mini = el("canvas", { class: "mini", "aria-hidden": "true", hidden: true });
  fill(box, surface, mini, corner);

  const frame = () => ({ width: box.clientWidth, height: box.clientHeight });
  const mapRoom = () => (box.clientWidth < 400 ? 0 : map.height + map.margin);

  // MARK: What is drawn

  function rebuild() {
    graph = visibleGraph(run, opened);
    place();
    parts = [];
    edgeParts = [];
    if (graph.nodes.length <= drawnAsElementsMax) buildElements();
    else fill(surface, el("canvas", { role: "img", "aria-label": "Graph; names: see Table" }));
    closing.hidden = opened.size === 0;
    aim();
  }

  /** Places the nodes: as loosely as their frame allows. */
  function place() {
    const few = graph.nodes.length <= drawnAsElementsMax;
    const { width, height } = frame();
    for (const density of few ? densities : densities.slice(-1)) {
      sizes = graph.nodes.map((node) => nodeSize(node, density));
      layout = layered(graph.nodes.length, graph.edges, (node) => sizes[node],
        { gapX: density.gapX, gapY: density.gapY, isLast: graph.isLast });
      if (layout.width + 40 <= width && layout.height + 40 <= height) return;
    }
  }

  function buildElements() {
    const scene = el("g", { class: "scene" });
    if (layout.lastAt !== null) {
      scene.append(el("line", { class: "last", x1: layout.lastAt, x2: layout.lastAt, y1: -6,
        y2: layout.height + 6 }),
      el("text", { class: "last-text", x: layout.lastAt + 4, y: -2 }, "finally"));
    }
    graph.edges.forEach((_, at) => {
      const path = el("path", { class: "edge", d: pathOf(layout.routes[at]) });
      edgeParts.push(path);
      scene.append(path);
    });
    scene.append(...(findings = drawnFindings(run.files, graph, layout)).lines);
    graph.nodes.forEach((node, at) => {
      const part = buildNode(node, layout.nodes[at], sizes[at], () => press(node));
      parts.push(part);
      scene.append(part.root);
    });
    fill(surface, el("svg", { class: "drawing", role: "group", "aria-label": "Graph" }, scene));
  }

  /** What a click on a node does: a group opens. */
  function press(node) {
    if (!node.group) return choose(node.step);
    opened.add(node.group);
    isStale = true;
    return update();
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
    const states = graph.nodes.map((node) => nodeState(run, node));
    graph.nodes.forEach((node, at) => {
      updateNode(parts[at], run, node, states[at], chosen, now());
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

  const chosenNode = () => graph.nodes.findIndex((node) => node.members.includes(chosen));

  /** Chooses the part that is seen, unless a person has. */
  function aim() {
    if (!layout || !box.clientWidth) return;
    if (mode === "readable") {
      view = readableView(layout, frame(), mapRoom());
      show(true);
    } else if (mode === "whole") {
      view = wholeView(layout, frame());
    }
    redraw();
  }

  /** Moves the chosen node into sight. */
  function show(isCentred = false) {
    const at = layout ? chosenNode() : -1;
    if (at < 0 || !box.clientWidth) return;
    view = revealing(view, layout.nodes[at], sizes[at], layout, frame(), mapRoom(), isCentred);
  }

  function showWhole() {
    mode = "whole";
    aim();
  }

  function zoom(factor, x = box.clientWidth / 2, y = box.clientHeight / 2) {
    const scale = Math.min(3, Math.max(0.02, view.scale * factor));
    const by = scale / view.scale;
    view = { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
    mode = "free";
    redraw();
  }

  function moveTo(x, y) {
    view = { ...view, x, y };
    mode = "free";
    redraw();
  }

  function paint() {
    if (!run || !layout) return;
    const scene = surface.querySelector(".scene");
    if (scene) {
      scene.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
      scene.classList.toggle("far", view.scale < farScale);
    }
    const { theme } = document.documentElement.dataset;
    const isWhole = !painted.looks || painted.theme !== theme;
    if (isWhole) painted = { looks: [], theme };
    // Of thousands of nodes, few change between two frames.
    const changedNodes = [];
    graph.nodes.forEach((node, at) => {
      const look = nodeState(run, node) + (node.members.includes(chosen) ? " chosen" : "");
      if (painted.looks[at] !== look) changedNodes.push(at);
      painted.looks[at] = look;
    });
    const drawing = { layout, sizes, lookOf, stateAt: (at) => nodeState(run, graph.nodes[at]) };
    if (!scene) {
      drawCanvas(surface.querySelector("canvas"), box, view, drawing, changedNodes, isWhole);
    }
    mini.hidden = seesAll(view, layout, frame()) || !mapRoom();
    if (!mini.hidden) drawMap(mini, box, view, drawing, changedNodes, isWhole);
  }

  const paintSoon = onceAFrame(paint);

  function lookOf(at) {
    const node = graph.nodes[at];
    const state = nodeState(run, node);
    return { state, isChosen: node.members.includes(chosen),
      time: fittingTime(nodeTimes(run, node, state, now()), sizes[at], layout.nodes[at].w) };
  }

  function redraw() {
    painted.looks = null;
    paintSoon();
  }

  let drag = null;
  surface.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX - view.x, y: event.clientY - view.y, moved: false,
      startX: event.clientX, startY: event.clientY };
  });
  addEventListener("pointermove", (event) => {
    if (!drag || !event.buttons) return;
    if (Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY) > 4) drag.moved = true;
    if (drag.moved) moveTo(event.clientX - drag.x, event.clientY - drag.y);
  });
  addEventListener("pointerup", () => { setTimeout(() => { drag = null; }, 0); });
  surface.addEventListener("click", (event) => {
    if (drag?.moved) return event.stopPropagation();
    if (surface.querySelector(".scene") || !layout) return undefined;
    const edge = box.getBoundingClientRect();
    const x = (event.clientX - edge.left - view.x) / view.scale;
    const y = (event.clientY - edge.top - view.y) / view.scale;
    const at = layout.nodes.findIndex((spot, index) => x >= spot.x && x <= spot.x + spot.w
      && Math.abs(y - spot.y) <= sizes[index].h / 2);
    return at >= 0 ? press(graph.nodes[at]) : undefined;
  }, true);
  mini.addEventListener("pointerdown", (event) => travel(event));
  mini.addEventListener("pointermove", (event) => { if (event.buttons) travel(event); });

  /** Shows the part of the graph at which the map is pressed. */
  function travel(event) {
    const edge = mini.getBoundingClientRect();
    const [left, top] = mapOrigin(layout);
    const scale = mapScale(layout);
    const x = (event.clientX - edge.left - left) / scale;
    const y = (event.clientY - edge.top - top) / scale;
    moveTo(box.clientWidth / 2 - x * view.scale, box.clientHeight / 2 - y * view.scale);
  }

  box.addEventListener("wheel", (event) => {
    event.preventDefault();
    const edge = box.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoom(Math.exp(-event.deltaY / 300), event.clientX - edge.left, event.clientY - edge.top);
    } else {
      moveTo(view.x - event.deltaX, view.y - event.deltaY);
    }
  }, { passive: false });
  new ResizeObserver(() => {
    if (mode === "free" || !graph) redraw();
    else {
      isStale = true;
      update();
    }
  }).observe(box);

  function update() {
    if (!run?.plan) return;
    if (run.plan !== drawnPlan || isStale) {
      [drawnPlan, isStale] = [run.plan, false];
      rebuild();
    } else if (chosen !== shownChosen) {
      show();
      redraw();
    }
    shownChosen = chosen;
    if (parts.length) updateElements();
    paint();
  }

  return {
    show(nextRun, nextChosen) {
      if (run?.id !== nextRun?.id) {
        opened.clear();
        mode = "readable";
      }
      [run, chosen] = [nextRun, nextChosen];
      update();
    },
  };
}

/** A legend of the states of a run, with the numbers of steps. */
export function legend(counted) {
  const order = ["succeeded", "running", "waiting", "failed", "interrupted", "cancelled", "not-run",
    "skipped", "ready", "pending"];
  return order.filter((state) => counted[state]).map((state) =>
    el("span", {}, icon(state), `${counted[state]} ${stateWord(state)}`));
}
