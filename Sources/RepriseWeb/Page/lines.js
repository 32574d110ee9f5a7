// A line of a log as an element: its number, its time, its colours, its links and what is searched.

import { styledPieces } from "./ansi.js";
import { el } from "./dom.js";
import { clockText, visible } from "./format.js";

/** Makes the element of a line; `link` is its address, `wanted` what is marked in it. */
export function lineElement(line, { link, wanted, isMarked, showsTime }) {
  const mark = el("a", { class: "at", href: link, title: line.time ?? "",
    "aria-label": line.number ? `link to line ${line.number}` : `link to byte ${line.at}` },
  line.number ?? "·");
  const time = showsTime ? el("span", { class: "at-time" }, line.time ? clockText(line.time) : "")
    : null;
  const text = el("span", { class: "text" });
  const pieces = styledPieces(line.text);
  pieces.forEach((piece, at) => {
    const goesOn = /^\S/.test(pieces[at + 1]?.text ?? "");
    for (const part of partsOf(piece.text, goesOn)) {
      text.append(...partElements(part, piece, wanted));
    }
  });
  const here = isMarked ? " here" : "";
  return el("div", { class: `line${here}`, "data-at": line.at }, mark, time, text);
}

/**
 * Splits a text into links and what is between them. An address at its end is none if the text goes
 * on with a hidden character or in another colour: only a part of it would be seen as the link.
 */
function partsOf(text, goesOn) {
  const parts = [];
  let done = 0;
  for (const { 0: found, index } of text.matchAll(/\bhttps?:\/\/[^\s<>"'`\\^{|}]+/gi)) {
    const address = withoutEnd(found);
    const isCut = goesOn && index + found.length === text.length;
    if (isCut || !isLink(address)) continue;
    if (index > done) parts.push({ text: text.slice(done, index) });
    parts.push({ text: address, href: address });
    done = index + address.length;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
  return parts;
}

/** An address without the marks of the sentence that it ends. */
function withoutEnd(found) {
  let address = found.replace(/[.,;:!?)\]]+$/, "");
  // A bracket that was opened in it belongs to it.
  while (address.length < found.length) {
    const next = found[address.length];
    const opening = { ")": "(", "]": "[" }[next];
    if (!opening || address.split(opening).length <= address.split(next).length) break;
    address += next;
  }
  return address;
}

/** Whether an address leads to a web page, and is shown as it is. */
function isLink(address) {
  if (visible(address) !== address || address.length > 2000) return false;
  try {
    const { protocol, username, password } = new URL(address);
    return ["http:", "https:"].includes(protocol) && !username && !password;
  } catch {
    return false;
  }
}

function partElements({ text, href }, { className }, wanted) {
  const words = wordsOf(text, wanted).map(([word, isWanted]) => {
    if (isWanted) return el("mark", {}, word);
    return className ? el("span", { class: className }, word) : word;
  });
  if (!href) return words;
  return [el("a", { class: "link", href, target: "_blank", rel: "noopener noreferrer" }, words)];
}

/** Splits a text at what is searched, without regard to case. */
function wordsOf(text, wanted) {
  if (!wanted) return [[text, false]];
  const words = [];
  const lower = text.toLowerCase();
  let done = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, done)) {
    if (at > done) words.push([text.slice(done, at), false]);
    done = at + wanted.length;
    words.push([text.slice(at, done), true]);
  }
  if (done < text.length) words.push([text.slice(done), false]);
  return words;
}
