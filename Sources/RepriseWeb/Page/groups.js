// What is drawn as one node: the steps that `foreach`, `matrix` or `uses` has made of one. Pure.

import { nameOf } from "./model.js";

/**
 * The visible nodes of a run, with the edges between them.
 *
 * A group is one node with its members, unless it is opened. Each node has an `id`, its `members`
 * (ids of steps) and, if it is a step itself, `step`.
 */
export function visibleGraph(run, opened) {
  const nodes = [];
  const nodeOf = new Map();
  const addStep = (index) => {
    const id = run.order[index];
    nodeOf.set(id, nodes.length);
    nodes.push({ id, step: id, name: nameOf(run, id), members: [id] });
  };
  const visit = (outline, path) => {
    if (typeof outline === "number") addStep(outline);
    else if (Array.isArray(outline)) outline.forEach((item) => visit(item, path));
    else if (outline.parallel) outline.parallel.forEach((item) => visit(item, path));
    else if (outline.group) {
      const id = path ? `${path}/${outline.group}` : outline.group;
      const members = stepsOf(outline.steps).map((index) => run.order[index]);
      if (opened.has(id) || members.length < 2) {
        visit(outline.steps, id);
        return;
      }
      for (const member of members) nodeOf.set(member, nodes.length);
      nodes.push({ id: `group ${id}`, group: id, name: nameOf(run, outline.group), members });
    }
  };
  visit(run.plan?.outline ?? [], "");
  run.order.forEach((id, index) => {
    if (!nodeOf.has(id)) addStep(index);
  });
  return { nodes, nodeOf, edges: edgesBetween(run, nodeOf, nodes.length) };
}

function stepsOf(outline) {
  if (typeof outline === "number") return [outline];
  if (Array.isArray(outline)) return outline.flatMap(stepsOf);
  return outline.parallel ? outline.parallel.flatMap(stepsOf) : stepsOf(outline.steps);
}

function edgesBetween(run, nodeOf, count) {
  const seen = new Set();
  const edges = [];
  for (const step of run.plan?.steps ?? []) {
    const to = nodeOf.get(step.id);
    for (const need of step.needs) {
      const from = nodeOf.get(need);
      const key = from * count + to;
      if (from === undefined || from === to || seen.has(key)) continue;
      seen.add(key);
      edges.push([from, to]);
    }
  }
  return isAcyclic(count, edges) ? edges : edges.filter(([from, to]) => from < to);
}

/** Groups can need each other in both directions, although their steps do not. */
function isAcyclic(count, edges) {
  const missing = new Int32Array(count);
  const next = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) {
    missing[to] += 1;
    next[from].push(to);
  }
  const ready = [];
  for (let node = 0; node < count; node += 1) if (!missing[node]) ready.push(node);
  for (let at = 0; at < ready.length; at += 1) {
    for (const to of next[ready[at]]) if (--missing[to] === 0) ready.push(to);
  }
  return ready.length === count;
}

/** The state of a node of several steps: what needs attention first. */
export function stateOfMembers(states) {
  for (const state of ["failed", "waiting", "running", "cancelled"]) {
    if (states.includes(state)) return state;
  }
  if (states.every((state) => state === "succeeded" || state === "skipped")) {
    return states.includes("succeeded") ? "succeeded" : "skipped";
  }
  return states.some((state) => state === "succeeded") ? "running" : states[0];
}
