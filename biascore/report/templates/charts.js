"use strict";
// The charts: each is drawn when it can be seen, and again when the room for it changes.
const main = document.querySelector("main");
const drawn = new Set();

function available() {
  const style = getComputedStyle(main);
  return Math.floor(main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
}

async function draw(figure) {
  const target = figure.querySelector(".chart");
  const width = Math.min(860, available());
  const spec = JSON.parse(document.getElementById(target.dataset.spec).textContent);
  spec.width = width;
  spec.config.axisY.labelLimit = Math.min(230, Math.round(0.4 * width));
  if (width < 560) {
    spec.config.axis.labelFontSize = 10; // the lines of a label are as long as on a wide page, in less room
    spec.config.legend.columns = 1;
    spec.config.legend.labelLimit = Math.round(0.5 * width);
    spec.config.title.frame = "bounds";
  }
  if (spec.usermeta) {
    const { besidePlot, heightToWidth, narrow } = spec.usermeta;
    spec.height = Math.round((width - besidePlot) * heightToWidth);
    if (width < 560) spec.datasets.labels = narrow;
  }
  drawn.add(figure);
  try {
    await vegaEmbed(target, spec, {
      mode: "vega-lite",
      ast: true,
      renderer: "svg",
      logLevel: 1, // errors only
      defaultStyle: false,
      tooltip: { disableDefaultStyle: true },
      actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
      forceActionsMenu: true,
      scaleFactor: { svg: 1, png: 3 },
      downloadFileName: target.dataset.name,
    });
    target.classList.add("drawn");
  } catch (error) {
    target.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the table.`;
  }
}

function drawVisible() {
  for (const figure of document.querySelectorAll("figure.plot")) {
    const section = figure.closest("details.measurement");
    if (!drawn.has(figure) && (section === null || section.open)) draw(figure);
  }
}

let width = available();
let pending;
window.addEventListener("resize", () => {
  clearTimeout(pending);
  pending = setTimeout(() => {
    if (available() === width) return;
    width = available();
    for (const figure of [...drawn]) draw(figure);
  }, 200);
});
