// The files that the steps of a run have left in its folder.

import { read, readBytes } from "./api.js";
import { el, fill } from "./dom.js";
import { keep } from "./download.js";
import { bytesText } from "./format.js";

/** Shows the files of a run; each can be kept. */
export async function showFiles(box, run, failed) {
  const { files, more } = await read(`/api/runs/${run.id}/files`);
  if (!files.length) {
    fill(box, el("p", { class: "welcome" },
      "No step has left a file in the folder of this run: ", el("code", {}, "$REPRISE_RUN_DIR"),
      ", or run.dir in expressions."));
    return;
  }
  const row = ({ path, size }) => {
    const get = async () => {
      try {
        const bytes = await readBytes(`/api/runs/${run.id}/file?path=${encodeURIComponent(path)}`);
        keep(path.split("/").at(-1), bytes, "application/octet-stream");
      } catch (error) {
        failed(error);
      }
    };
    return el("tr", {}, el("td", {}, el("code", {}, path)),
      el("td", { class: "number" }, bytesText(size)),
      el("td", {}, el("button", { class: "chip", onclick: get, "aria-label": `Download ${path}` },
        "Download")));
  };
  fill(box, el("table", { class: "compared" },
    el("thead", {}, el("tr", {}, ["file", "size", ""].map((text) =>
      el("th", { scope: "col" }, text)))),
    el("tbody", {}, files.map(row))), more && el("p", { class: "dim note" }, "and more"));
}
