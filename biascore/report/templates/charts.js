"use strict";
// The charts: each is drawn when it can be seen, and again when the room for it changes.
const main = document.querySelector("main");
const drawn = new Set();

function available() {
  const style = getComputedStyle(main);
  return Math.floor(main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
}

const NARROW_LABEL = 24; // letters in a line

// Labels of rows have lines for a wide page: broken again for a narrow one, whose rows then are as high as they need.
function rewrap(label) {
  const lines = label.split("\n");
  const last = lines.length > 1 && lines.at(-1).startsWith("n = ") ? lines.pop() : null;
  const found = [""];
  for (const word of lines.join(" ").split(" ")) {
    const longer = `${found.at(-1)} ${word}`.trim();
    if (longer.length <= NARROW_LABEL || found.at(-1) === "") found[found.length - 1] = longer;
    else found.push(word);
  }
  if (last !== null) found.push(last);
  return found.join("\n");
}

function narrowLabels(spec) {
  let most = 1;
  for (const row of Object.values(spec.datasets).flat()) {
    if (typeof row.label !== "string") continue;
    row.label = rewrap(row.label);
    most = Math.max(most, row.label.split("\n").length);
  }
  if (spec.height?.step) spec.height.step = Math.max(spec.height.step, 12 * most + 8);
}

// The data of a chart or a table, by the id of its script.
async function dataOf(id) {
  const script = document.getElementById(id);
  if (!script.dataset.packed) return JSON.parse(script.textContent);
  const bytes = Uint8Array.from(atob(script.textContent), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(script.dataset.packed));
  return JSON.parse(await new Response(unpacked).text());
}

// What draws is unpacked when the first chart is drawn; the policy of the page knows it by its hash.
let vega;
async function runVega() {
  const script = document.createElement("script");
  script.textContent = await dataOf("vega");
  document.head.append(script);
}

async function draw(figure) {
  drawn.add(figure);
  const target = figure.querySelector(".chart");
  const width = Math.min(860, available());
  await (vega ??= runVega());
  const spec = await dataOf(target.dataset.spec);
  spec.width = width;
  spec.config.axisY.labelLimit = Math.min(230, Math.round(0.4 * width));
  if (width < 560) {
    spec.config.axis.labelFontSize = 10;
    spec.config.axis.labelLineHeight = 12;
    narrowLabels(spec);
    spec.config.legend.columns = 1;
    spec.config.legend.labelFontSize = 10;
    spec.config.legend.labelLimit = Math.round(0.56 * width);
    spec.config.title.frame = "bounds";
  }
  if (spec.usermeta) {
    const { besidePlot, heightToWidth, narrow } = spec.usermeta;
    spec.height = Math.round((width - besidePlot) * heightToWidth);
    if (width < 560) spec.datasets.labels = narrow;
  }
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
    nameDrawing(target);
  } catch (error) {
    target.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the table.`;
  }
}

// The drawing is named by its caption, its menu by what it does; parts without a name of their own have no role.
function nameDrawing(target) {
  const svg = target.querySelector("svg.marks");
  svg?.setAttribute("aria-label", target.closest("figure").getAttribute("aria-label"));
  for (const part of svg?.querySelectorAll("[role]:not([aria-label])") ?? []) {
    for (const name of ["role", "aria-roledescription"]) part.removeAttribute(name);
  }
  target.querySelector("summary")?.setAttribute("aria-label", "Save this picture");
  scrollByKeys(target.parentElement);
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
