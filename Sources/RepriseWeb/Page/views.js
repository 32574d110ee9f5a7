// The other views of the upper panel: table, comparison and source.

import { read } from "./api.js";
import { el, fill, icon } from "./dom.js";
import { countText, durationText, momentText } from "./format.js";
import { nameOf, stateOf, stateWord } from "./model.js";

/** Shows the steps of the last runs of a workflow: a row for each step, a cell for each run. */
export async function showTable(box, run, actions) {
  const table = await read(`/api/table?workflow=${encodeURIComponent(run.workflow)}&limit=30`);
  const rows = table.steps.slice(0, 2000);
  const longest = rows.map((_, row) =>
    Math.max(0.001, ...table.cells[row].map((cell) => cell?.seconds ?? 0)));
  fill(box, el("table", { class: "heat" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "step"),
      table.runs.map((line) => el("th", { scope: "col" },
        el("button", { class: `b-${line.status}`, "aria-label": `run ${line.id}, ${line.status}`,
          title: `${line.id}, ${momentText(line.started)}`,
          onclick: () => actions.open(line.id) }))))),
    el("tbody", {}, rows.map((step, row) => el("tr", {}, el("th", { scope: "row", title: step },
        nameOf(run, step)),
      table.cells[row].map((cell, column) => {
        if (!cell) return el("td");
        const words = `${nameOf(run, step)} in ${table.runs[column].id}: `
          + `${stateWord(stateOf(cell))}`
          + (cell.seconds == null ? "" : `, ${durationText(cell.seconds)}`);
        const button = el("button", { class: `b-${stateOf(cell)}`, title: words,
          "aria-label": words, onclick: () => actions.open(table.runs[column].id, step) });
        // Darker is longer, within the step.
        button.style.opacity = String(0.45 + 0.55 * ((cell.seconds ?? 0) / longest[row]));
        return el("td", {}, button);
      })))),
  ), el("p", { class: "dim note" }, "Each column is a run, the newest one on the right. The "
    + "stronger a colour, the longer the step took then. A cell leads to the step of that run."),
  rows.length < table.steps.length
    && el("p", { class: "welcome dim" },
      `and ${countText(table.steps.length - rows.length, "more step")}`));
}

/** Compares the run with another one, or with an earlier generation. */
export async function showComparison(box, run, lines, chosen, actions) {
  const others = lines.filter((line) => line.workflow === run.workflow && line.id !== run.id)
    .map((line) => [line.id, `${line.id}, ${line.status}, ${momentText(line.started)}`]);
  const generations = run.generations.slice(0, -1).map((generation) =>
    [`${run.id} ${generation.generation}`, `generation ${generation.generation} of this run`]);
  const options = [...generations, ...others];
  const value = chosen ?? options[0]?.[0];
  const body = el("div");
  fill(box, el("div", { class: "tools" }, "this run, compared with",
    el("select", { "aria-label": "Compare with", onchange: (event) =>
      actions.compare(event.target.value) },
    options.map(([id, text]) => el("option", { value: id, selected: id === value }, text)))), body);
  if (!value) {
    fill(body, el("p", { class: "welcome" }, "There is no other run of this workflow yet."));
    return;
  }
  const [other, generation] = value.split(" ");
  const mark = generation ? `&a-generation=${generation}` : "";
  const found = await read(`/api/compare?a=${other}${mark}&b=${run.id}`);
  const largest = Math.max(0.05, ...found.steps.map((row) => Math.abs(row.added ?? 0)));
  const side = (part) => part && [icon(stateOf(part)), " ",
    durationText(part.seconds) || stateWord(stateOf(part))];
  fill(body,
    found["first-different"] && el("p", { class: "welcome" },
      `The first step with other outputs is ${nameOf(run, found["first-different"])}.`),
    el("table", { class: "compared" },
      el("thead", {}, el("tr", {}, ["step", "the other", "this run", "change"].map((text) =>
        el("th", { scope: "col", colspan: text === "change" ? 2 : null }, text)))),
      el("tbody", {}, found.steps.slice(0, 500).map((row) => el("tr", {},
        el("td", {}, el("button", { class: "chip", onclick: () => actions.choose(row.step) },
          nameOf(run, row.step))),
        el("td", {}, side(row.a)), el("td", {}, side(row.b)),
        el("td", { class: "number" }, changeText(row)),
        el("td", {}, changeBar(row, largest)))))),
    el("p", { class: "dim note" },
      "Steps with another state are at the top, then the largest change."),
    values("Parameters", found.params), values("Outputs", found.outputs),
    found.source && [el("div", { class: "side" }, "Workflow file"), el("pre", { class: "code" },
      found.source.map((line) => el("div", { class: line.kind },
        `${{ added: "+ ", removed: "- " }[line.kind] ?? "  "}${line.text}`)))]);
}

/** Whether a change is too small to be shown in tenths of seconds. */
const isSame = (added) => Math.abs(added) < 0.05;

function changeText({ a, b, added }) {
  if (!a || !b) return a ? "only there" : "only here";
  if (stateOf(a) !== stateOf(b)) return "other state";
  if (added == null) return "";
  return isSame(added) ? "same" : `${added > 0 ? "+" : "−"}${durationText(Math.abs(added))}`;
}

/** A bar to the right for what takes longer now, to the left for what is faster. */
function changeBar({ added }, largest) {
  const bar = el("i", { class: added > 0 ? "slower" : "faster" });
  if (added == null || isSame(added)) return el("div", { class: "change" });
  bar.style.width = `${Math.max(1, (50 * Math.abs(added)) / largest)}%`;
  return el("div", { class: "change", "aria-hidden": "true" }, bar);
}

function values(title, rows) {
  if (!rows.length) return null;
  return [el("div", { class: "side" }, title), el("table", {}, el("tbody", {},
    rows.map((row) => el("tr", {}, el("td", {}, row.step ? `${row.step}.${row.name}` : row.name),
      [row.a, row.b].map((value) => el("td", {}, el("code", {}, value ?? "–")))))))];
}

/** Shows the workflow file by which the run ran, at the chosen step. */
export async function showSource(box, run, chosen) {
  const source = await read(`/api/runs/${run.id}/source?generation=${run.generation}`);
  const base = chosen?.replace(/\[.*$/, "");
  const isStep = (line) => base
    && new RegExp(`\\bid:\\s*["']?${base.replace(/[^\w-]/g, "\\$&")}["']?\\s*([,}]|$)`).test(line);
  fill(box, el("div", { class: "path" }, source.path), el("pre", { class: "code numbered",
    tabindex: 0 },
    source.text.split("\n").map((line) =>
      el("div", { class: isStep(line) ? "here" : null }, line || " "))));
  box.querySelector(".here")?.scrollIntoView({ block: "center" });
}
