// What lies over the page: the confirmation, the form that starts a run, and the list of keys.

import { byId, el, fill } from "./dom.js";
import { visible } from "./format.js";

let pending = null;

/** Asks a question; `act` is called if the answer is yes. */
export function ask(question, act, extra) {
  pending = act;
  const box = byId("ask");
  fill(box, el("span", {}, question), extra,
    el("button", { class: "primary", onclick: () => answer(true) }, "Yes", el("kbd", {}, "y")),
    el("button", { onclick: () => answer(false) }, "No", el("kbd", {}, "n")));
  box.hidden = false;
  drawScrim();
  // The space bar and the enter key of pasted text must not mean yes.
  box.querySelector("button:last-child").focus();
}

/** Inputs for the values that an approval asks for; `values` are as parameters of a workflow. */
export function valueInputs(values) {
  const labels = values.map(field);
  return { labels, given: () => Object.fromEntries(labels.map((label) =>
    label.querySelector("[name]")).filter((input) => input.value !== "")
    .map((input) => [input.name, input.value])) };
}

/** Darkens the page below what lies over it; a click there is a no. */
export function drawScrim() {
  const isNarrow = matchMedia("(max-width: 760px)").matches;
  const isOver = isAsking() || document.querySelector(".sheet") !== null
    || (isNarrow && byId("detail").classList.contains("open"));
  byId("scrim").hidden = !isOver;
}

/** Whether a question is open. */
export function isAsking() { return pending !== null; }

/** Answers the open question. */
export function answer(isYes) {
  const act = pending;
  pending = null;
  byId("ask").hidden = true;
  drawScrim();
  if (isYes) act?.();
}

/** Whether a key is not for the page, because a question or a sheet is open. */
export function isForSheet(event) {
  if (!isAsking()) return document.querySelector(".sheet") !== null && event.key !== "Escape";
  if (["INPUT", "SELECT"].includes(event.target.tagName)) return event.key !== "Escape";
  if (event.key === "y" || event.key === "n") {
    event.preventDefault();
    answer(event.key === "y");
  }
  return event.key !== "Escape";
}

let timer = null;

/** Shows a message for some seconds. */
export function say(text, isBad = false) {
  const box = byId("said");
  box.className = isBad ? "bad" : "";
  box.textContent = visible(text);
  clearTimeout(timer);
  timer = setTimeout(() => { box.textContent = ""; }, isBad ? 15000 : 6000);
}

/** Closes the sheet that is open; returns whether there was one. */
export function closeSheet() {
  const sheet = document.querySelector(".sheet");
  sheet?.remove();
  drawScrim();
  return sheet !== null;
}

function openSheet(title, ...children) {
  closeSheet();
  const sheet = el("div", { class: "sheet", role: "dialog", "aria-label": title },
    el("h2", {}, title), children);
  document.body.append(sheet);
  drawScrim();
  sheet.querySelector("input, select, button")?.focus();
  return sheet;
}

/** Shows all keys. */
export function showKeys(rows) {
  const places = { steps: "Steps", log: "Log", watch: "Watches" };
  const groups = Object.entries(places).map(([place, title]) => {
    const own = rows.filter((row) => row.place === place);
    return own.length ? [el("h2", {}, title), el("div", { class: "keys" }, own.map((row) =>
      el("div", {}, el("kbd", {}, row.label), row.help)))] : null;
  });
  openSheet("Keys", groups, el("button", { onclick: closeSheet }, "Close"));
}

/** Shows the form that starts a run; `start` gets the name of the workflow and its parameters. */
export function showStart(workflows, chosen, start) {
  if (!workflows.length) {
    say("there is no workflow in this project's folder workflows/", true);
    return;
  }
  const fields = el("div");
  const choice = el("select", { "aria-label": "Workflow", onchange: () => drawFields() },
    workflows.map((workflow) =>
      el("option", { value: workflow.name, selected: workflow.name === chosen }, workflow.name)));
  const problem = el("p", { role: "alert" });
  const drawFields = () => {
    const workflow = workflows.find((one) => one.name === choice.value);
    problem.textContent = visible(workflow.error ?? "");
    fill(fields, workflow.description && el("p", { class: "dim" }, workflow.description),
      workflow.params.map(field));
  };
  const form = el("form", { onsubmit: async (event) => {
    event.preventDefault();
    const params = {};
    for (const input of fields.querySelectorAll("[name]")) {
      // Defaults are those of the file, which may have changed.
      if (input.value !== input.dataset.before || input.required) params[input.name] = input.value;
    }
    problem.textContent = "";
    try {
      await start(choice.value, params);
      closeSheet();
    } catch (error) {
      problem.textContent = visible(error.message);
    }
  } }, el("label", {}, "workflow", choice), fields, problem,
  el("div", { class: "actions" }, el("button", { class: "primary", type: "submit" }, "Start"),
    el("button", { type: "button", onclick: closeSheet }, "Close")));
  openSheet("Start a run", form);
  drawFields();
}

function field(parameter) {
  const common = { name: parameter.name, required: parameter.required,
    "data-before": parameter.default ?? "" };
  let input;
  if (parameter.type === "choice" || parameter.type === "boolean") {
    const options = parameter.options ?? ["true", "false"];
    input = el("select", common, parameter.default == null && el("option", { value: "" }, ""),
      options.map((option) =>
        el("option", { value: option, selected: option === parameter.default }, option)));
  } else {
    const type = ["number", "integer"].includes(parameter.type) ? "number" : "text";
    input = el("input", { ...common, type, value: parameter.default ?? "",
      step: parameter.type === "integer" ? "1" : "any",
      placeholder: { list: '["a", "b"]', map: '{"a": 1}' }[parameter.type] ?? "" });
  }
  return el("label", {}, el("span", {}, parameter.name, parameter.required ? " (required) " : " ",
    el("span", { class: "dim" }, parameter.description ?? "")), input);
}
