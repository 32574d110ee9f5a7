// Files that the page gives to the browser to keep: the output of a step, and files of a run.

import { logPath, read } from "./api.js";

const windowMax = 4 * 1024 * 1024;
/** The size of the output of a step that is kept at most: its end. */
export const downloadMax = 64 * 1024 * 1024;

/** Reads the whole output of an attempt, or its end; returns its text and the size of the rest. */
export async function wholeLog({ run, step, generation, attempt }) {
  const lines = [];
  let from = -downloadMax;
  let before = 0;
  while (true) {
    const window = await read(logPath(run, step, { generation, attempt, from, limit: windowMax }));
    if (!lines.length) before = window.from;
    for (const line of window.lines) lines.push(line.text, line.continues ? "" : "\n");
    if (window.to >= window.size || window.to <= from) break;
    from = window.to;
  }
  return { text: lines.join(""), before };
}

/** Lets the browser keep bytes or text as a file. */
export function keep(name, content, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  // The name must not lead to another folder, nor hide what the file is.
  link.download = name.replace(/[^\w .()+,=@-]+/g, "_").replace(/^\.+/, "_").slice(-120);
  link.href = address;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
