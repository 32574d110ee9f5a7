// The part of a drawing that is seen: how large it is, and where. Pure.

/** The least scale at which a graph opens: its letters can be read. */
export const readableScale = 0.75;

const pad = 14;

/**
 * Shows a drawing so that it can be read: the whole of it if that fits.
 *
 * `below` is the height that the map takes if something is out of sight.
 */
export function readableView(layout, frame, below) {
  const fit = Math.min((frame.width - 2 * pad) / layout.width,
    (frame.height - 2 * pad) / layout.height);
  // What has to be moved anyway can be large.
  const scale = fit >= readableScale ? Math.min(1.15, fit) : fit > 0.6 ? readableScale : 0.9;
  return settled({ x: pad, y: pad, scale }, layout, frame, below);
}

/** Shows the whole of a drawing, however small. */
export function wholeView(layout, frame) {
  const fit = Math.min((frame.width - 2 * pad) / layout.width,
    (frame.height - 2 * pad) / layout.height);
  return settled({ x: 0, y: 0, scale: Math.max(0.02, Math.min(1.15, fit)) }, layout, frame, 0);
}

/** Whether all of a drawing is seen. */
export function seesAll(view, layout, frame) {
  return view.x >= 0 && view.y >= 0 && view.x + layout.width * view.scale <= frame.width + 1
    && view.y + layout.height * view.scale <= frame.height + 1;
}

/** Moves a view so that a place is seen, with a margin; as little as possible, or to its middle. */
export function revealing(view, place, size, layout, frame, below, isCentred = false) {
  const { scale } = view;
  const height = frame.height - (seesAll(view, layout, frame) ? 0 : below);
  const shifted = (start, length, room) => {
    const margin = Math.min(56, Math.max(0, (room - length) / 2));
    if (isCentred) return (room - length) / 2 - start;
    if (start < margin) return margin - start;
    return Math.min(0, room - margin - length - start);
  };
  const left = place.x * scale + view.x;
  const top = (place.y - size.h / 2) * scale + view.y;
  const moved = { scale, x: view.x + shifted(left, place.w * scale, frame.width),
    y: view.y + shifted(top, size.h * scale, height) };
  return settled(moved, layout, frame, below);
}

/** A view without empty room beside the drawing: what is smaller than its frame is centred. */
function settled(view, layout, frame, below) {
  const { scale } = view;
  const [width, height] = [layout.width * scale, layout.height * scale];
  const isWhole = width <= frame.width && height <= frame.height;
  const along = (at, length, room) => (length <= room - 2 * pad ? (room - length) / 2
    : Math.min(pad, Math.max(room - pad - length, at)));
  const lower = isWhole ? 0 : Math.min(below, Math.max(0, frame.height - 120));
  return { scale, x: along(view.x, width, frame.width),
    y: along(view.y, height, frame.height - lower) };
}
