// What the files of watched steps say about their needs, as text and as lines of the graph.

import { el } from "./dom.js";

/** What a finding says. */
export function findingText({ kind, step, other, files }) {
  const more = files.length > 3 ? ` and ${files.length - 3} more` : "";
  const some = files.slice(0, 3).join(", ") + more;
  return {
    "missing-need": `${step} uses ${some}, which ${other} makes, and does not need it`,
    conflict: `${step} and ${other} may run at once, and both use ${some}`,
    "superfluous-need": `${step} needs ${other}, but uses nothing that it makes`,
    "undeclared-input": `${step} reads ${some}, which no pattern under cache.inputs matches`,
    "unread-input": `${step} reads no file that ${some} under cache.inputs matches`,
  }[kind] ?? kind;
}

/**
 * Draws what a watched run has found.
 *
 * Returns lines for needs that are missing and for conflicts, and the positions of the edges whose
 * needs no file asks for.
 */
export function drawnFindings(files, graph, layout) {
  const at = new Map();
  graph.nodes.forEach((node, index) => {
    for (const id of [node.id, node.step, node.group, ...node.members]) if (id) at.set(id, index);
  });
  const lines = [];
  const doubtful = new Set();
  for (const finding of files?.findings ?? []) {
    const [from, to] = [at.get(finding.other), at.get(finding.step)];
    if (from === undefined || to === undefined || from === to) continue;
    if (finding.kind === "superfluous-need") {
      const edge = graph.edges.findIndex(([one, other]) => one === from && other === to);
      if (edge >= 0) doubtful.add(edge);
    } else {
      lines.push(el("path", { class: `edge finding ${finding.kind}`,
        d: pathBetween(layout.nodes[from], layout.nodes[to]) },
      el("title", {}, findingText(finding))));
    }
  }
  return { lines, doubtful };
}

/** A curve to the left of a node; in the same column, around both on the right. */
function pathBetween(left, right) {
  const start = { x: left.x + left.w, y: left.y };
  const isBeside = right.x < start.x;
  const end = { x: isBeside ? right.x + right.w : right.x, y: right.y };
  const bend = isBeside ? 46 : Math.max(40, (end.x - start.x) / 2);
  const near = isBeside ? end.x + bend : end.x - bend;
  return `M${start.x} ${start.y} C${start.x + bend} ${start.y + 9} ${near} ${end.y - 9} `
    + `${end.x} ${end.y}`;
}
