// How wide texts are in drawings, and texts cut to fit.

let measuring = null;

/** The width of a text of a size and weight, in pixels. */
export function textWidth(text, size, weight = 400) {
  if (!measuring) {
    measuring = document.createElement("canvas").getContext("2d");
    measuring.family = getComputedStyle(document.body).fontFamily;
  }
  measuring.font = `${weight} ${size}px ${measuring.family}`;
  return measuring.measureText(text).width;
}

/** A text that fits into a width: if it is too long, its first and last letters. */
export function fitted(text, room, size, weight = 400) {
  const width = textWidth(text, size, weight);
  if (width <= room) return text;
  const count = Math.max(2, Math.floor((text.length * room) / width) - 1);
  const last = Math.floor(count / 3);
  return `${text.slice(0, count - last)}…${last ? text.slice(-last) : ""}`;
}
