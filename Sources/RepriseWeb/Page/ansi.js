// Colours of terminal output: a small state machine from escape sequences to classes. Pure.

import { isHidden, visible } from "./format.js";

const colours = ["grey", "red", "green", "yellow", "blue", "magenta", "cyan", ""];

/**
 * Splits a line into pieces of text with classes. Only select graphic rendition (ECMA-48, 8.3.117)
 * has an effect; other sequences are left out, and control and bidirectional characters are shown.
 */
export function styledPieces(line) {
  if (line && visible(line) === line) return [{ text: line, className: "" }];
  const pieces = [];
  let style = {};
  let plain = "";
  const flush = () => {
    if (plain) pieces.push({ text: plain, className: classOf(style) });
    plain = "";
  };
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === 0x1b) {
      const end = sequenceEnd(line, at);
      const sequence = line.slice(at, end);
      if (/^\x1b\[[0-9;:]*m$/.test(sequence)) {
        flush();
        style = restyled(style, sequence.slice(2, -1));
      }
      at = end - 1;
    } else if (isHidden(line[at])) {
      flush();
      pieces.push({ text: visible(line[at]), className: "control" });
    } else {
      plain += line[at];
    }
  }
  flush();
  return pieces;
}

/** The end of the escape sequence at a position. */
function sequenceEnd(line, start) {
  let at = start + 1;
  while (line[at] === "\x1b") at += 1;
  const kind = line[at++];
  if (kind === "[") {
    while (at < line.length && !(line[at] >= "@" && line[at] <= "~")) at += 1;
    return Math.min(line.length, at + 1);
  }
  if (kind === "]" || kind === "P" || kind === "^" || kind === "_" || kind === "X") {
    // A string such as a window title or a link, up to BEL or ST.
    while (at < line.length && line[at] !== "\x07") {
      if (line[at] === "\x1b" && line[at + 1] === "\\") return at + 2;
      at += 1;
    }
    return Math.min(line.length, at + 1);
  }
  // The choice of a character set has one more, such as that of `tput sgr0`.
  if (kind && "()*+#% ".includes(kind)) at += 1;
  return Math.min(line.length, at);
}

function restyled(style, parameters) {
  const codes = parameters.split(/[;:]/).map((text) => (text === "" ? 0 : Number(text)));
  let next = { ...style };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 2) next.faint = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underlined = true;
    else if (code === 7) next.reversed = true;
    else if (code === 9) next.struck = true;
    else if (code === 22) next.bold = next.faint = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underlined = false;
    else if (code === 27) next.reversed = false;
    else if (code === 29) next.struck = false;
    else if (code >= 30 && code <= 37) next.colour = colours[code - 30];
    else if (code >= 90 && code <= 97) next.colour = colours[code - 90];
    else if (code === 39) next.colour = "";
    else if (code === 38 || code === 48) {
      // Of the other colours, only the first sixteen have names.
      if (codes[at + 1] === 5) {
        if (code === 38) next.colour = codes[at + 2] < 16 ? colours[codes[at + 2] % 8] : "";
        at += 2;
      } else if (codes[at + 1] === 2) at += 4;
    }
  }
  return next;
}

function classOf(style) {
  const names = ["bold", "faint", "italic", "underlined", "reversed", "struck"]
    .filter((name) => style[name]);
  if (style.colour) names.push(`fg-${style.colour}`);
  return names.join(" ");
}
