// What is around the views: the theme, and the step as a sheet on narrow screens.

import { byId } from "./dom.js";
import { drawScrim } from "./sheets.js";

const narrow = matchMedia("(max-width: 760px)");
const light = matchMedia("(prefers-color-scheme: light)");

/** The theme of the system. */
export const systemTheme = () => (light.matches ? "light" : "dark");

/** Takes the theme that was chosen, or else that of the system. */
export function drawTheme() {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? systemTheme();
}

/** Follows the theme of the system; `draw` draws again what has colours of its own. */
export function followTheme(draw) {
  drawTheme();
  light.addEventListener("change", () => {
    drawTheme();
    draw();
  });
}

/** Opens or closes the chosen step on narrow screens; returns whether that has changed anything. */
export function openDetail(isOpen) {
  const { classList } = byId("detail");
  const isChanged = classList.contains("open") !== isOpen;
  classList.toggle("open", isOpen);
  drawScrim();
  return isChanged && narrow.matches;
}

// A step that is a sheet on a narrow screen lies over nothing on a wide one.
narrow.addEventListener("change", drawScrim);
