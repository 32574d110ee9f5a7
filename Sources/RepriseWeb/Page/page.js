// The parts of the page that stay: panels, tabs and the footer, with the views in them.

import { byId, el, fill } from "./dom.js";
import { makeGraph } from "./graph.js";
import { makeLog } from "./log.js";
import { stateOf } from "./model.js";
import { say } from "./sheets.js";
import { makeTimeline } from "./timeline.js";

/**
 * Makes the panels, tabs and the footer.
 *
 * Returns what is drawn again: the views, and the elements around them.
 */
export function buildPage(state, actions, { now, addressOf }) {
  const tab = (view, text, title) => el("button", { class: "plain", role: "tab", "data-view": view,
    title: title ?? null, onclick: () => actions.show(view) }, text);
  const other = el("div", { class: "body", id: "other", hidden: true });
  const graphBox = el("div", { class: "body", id: "graph", hidden: true });
  const timelineBox = el("div", { class: "body", id: "timeline", tabindex: 0 });
  const legendBox = el("div", { class: "legend" });
  const detail = el("div", { class: "about" });
  const logBox = el("div");
  const welcome = el("div", { class: "welcome" }, el("h1", {}, "Choose a run"),
    el("p", {}, "Runs appear here as soon as they start: ", el("code", {}, "reprise run NAME"),
      ", or with Start on the left."));
  const views = state.isStatic ? [tab("graph", "Graph"), tab("source", "Source")]
    : [tab("graph", "Graph"), tab("table", "Table"), tab("compare", "Compare"),
      tab("source", "Source"), tab("files", "Files")];
  fill(byId("upper"), el("div", { class: "head" },
    el("div", { class: "tabs", role: "tablist", "aria-label": "Views" }, views), legendBox),
  welcome, graphBox, other);
  fill(byId("lower"), el("div", { class: "head" },
    el("div", { class: "tabs", role: "tablist", "aria-label": "Times" },
      tab("timeline", "Timeline"), tab("path", "Critical path"))), timelineBox);
  const log = makeLog(logBox, { say, link: (at) => addressOf({ line: at }),
    stateOf: (id) => stateOf(state.run?.byStep.get(id)) });
  const logParts = [...logBox.children];
  fill(byId("detail"), detail, logParts);
  fill(byId("foot"), state.isStatic ? null : [
    el("span", {}, el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " step"),
    el("span", {}, el("kbd", {}, "Enter"), " log"),
    el("span", {}, el("kbd", {}, "R"), " restart from it"),
    el("span", {}, el("kbd", {}, "/"), " search"),
    el("button", { class: "plain", onclick: () => actions.help() }, "all keys ",
      el("kbd", {}, "?"))],
  el("span", { class: "grow" }), el("span", { id: "live", class: "live" }, el("i"), ""));
  return { detail, log, logParts, welcome, graphBox, other, legend: legendBox,
    graph: makeGraph(graphBox, { choose: (id) => actions.choose(id), now }),
    timeline: makeTimeline(timelineBox, { choose: (id) => actions.choose(id), now }) };
}
