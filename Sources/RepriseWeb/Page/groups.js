// What is drawn as one node: the steps that `foreach`, `matrix` or `uses` has made of one, and many
// equal branches. Pure.

import { nameOf } from "./model.js";

/** The number of equal branches that are drawn one by one. */
const siblingsMax = 12;

/**
 * The visible nodes of a run, with the edges between them.
 *
 * A group is one node with its members, unless it is opened. Each node has an `id`, its `members`
 * (ids of steps) and, if it is a step itself, `step`. `isLast` says which nodes are of `finally`.
 */
export function visibleGraph(run, opened) {
  const nodes = [];
  const nodeOf = new Map();
  const siblings = siblingsOf(run, opened);
  const add = (node) => {
    for (const member of node.members) nodeOf.set(member, nodes.length);
    nodes.push(node);
  };
  const addStep = (index) => {
    const id = run.order[index];
    if (nodeOf.has(id)) return;
    const group = siblings.get(id);
    if (group) add({ ...group, id: `group ${group.group}` });
    else add({ id, step: id, name: nameOf(run, id), members: [id] });
  };
  const visit = (outline, path) => {
    if (typeof outline === "number") addStep(outline);
    else if (Array.isArray(outline)) outline.forEach((item) => visit(item, path));
    else if (outline.parallel) outline.parallel.forEach((item) => visit(item, path));
    else if (outline.group) {
      const id = path ? `${path}/${outline.group}` : outline.group;
      const members = stepsOf(outline.steps).map((index) => run.order[index]);
      if (opened.has(id) || members.length < 2) visit(outline.steps, id);
      else add({ id: `group ${id}`, group: id, name: nameOf(run, outline.group), members });
    }
  };
  visit(run.plan?.outline ?? [], "");
  run.order.forEach((_, index) => addStep(index));
  const firstLast = run.order.length - (run.plan?.["finally-count"] ?? 0);
  const last = new Set(run.order.slice(firstLast).map((id) => nodeOf.get(id)));
  return { nodes, nodeOf, edges: edgesBetween(run, nodeOf, nodes.length),
    isLast: last.size ? (node) => last.has(node) : undefined };
}

/**
 * The branches that are one node, by step: more than {@link siblingsMax} in the same group, with
 * the same needs and the same dependents.
 */
function siblingsOf(run, opened) {
  const found = new Map();
  if (run.order.length <= siblingsMax) return found;
  const groupOf = new Map();
  const visit = (outline, path) => {
    if (typeof outline === "number") groupOf.set(run.order[outline], path);
    else if (Array.isArray(outline)) outline.forEach((item) => visit(item, path));
    else if (outline.parallel) outline.parallel.forEach((item) => visit(item, path));
    else visit(outline.steps, path ? `${path}/${outline.group}` : outline.group);
  };
  visit(run.plan?.outline ?? [], "");
  const alike = new Map();
  // Names of sets of steps are short, so that thousands of steps with thousands of needs are few.
  const names = new Map();
  const nameOfSet = (ids) => {
    const words = [...ids].sort().join("\n");
    if (!names.has(words)) names.set(words, names.size);
    return names.get(words);
  };
  const finallyAt = run.order.length - (run.plan?.["finally-count"] ?? 0);
  run.order.forEach((id, index) => {
    const key = [groupOf.get(id), nameOfSet(run.planned.get(id).needs),
      nameOfSet(run.dependents.get(id) ?? []), index >= finallyAt].join("\n");
    if (!alike.has(key)) alike.set(key, []);
    alike.get(key).push(id);
  });
  for (const members of alike.values()) {
    const group = `siblings ${members[0]}`;
    // Of a group that was opened, all steps are wanted.
    if (members.length <= siblingsMax || opened.has(group) || opened.has(groupOf.get(members[0]))) {
      continue;
    }
    const node = { group, name: nameOfSiblings(run, members), members };
    for (const id of members) found.set(id, node);
  }
  return found;
}

/** What the names of branches have in common, or how many there are. */
function nameOfSiblings(run, members) {
  const names = members.map((id) => nameOf(run, id));
  let length = 0;
  const [first] = names;
  const isCommon = (name) => name[length] === first[length];
  while (length < first.length && names.every(isCommon)) length += 1;
  const common = first.slice(0, length).replace(/[\d([]+$/, "");
  return common.length >= 3 ? `${common}…` : `${first} …`;
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
  for (const state of ["failed", "waiting", "running", "interrupted", "cancelled", "not-run"]) {
    if (states.includes(state)) return state;
  }
  if (states.every((state) => state === "succeeded" || state === "skipped")) {
    return states.includes("succeeded") ? "succeeded" : "skipped";
  }
  return states.some((state) => state === "succeeded") ? "running" : states[0];
}
