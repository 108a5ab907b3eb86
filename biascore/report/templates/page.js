// What is opened: sections by a link, by the button, and for print what the reader has open.
const sections = [...document.querySelectorAll("details.measurement")];

// What scrolls in its own box can be reached and scrolled by keys.
function scrollByKeys(root) {
  for (const box of root.querySelectorAll(".chart, .lists dd, pre, .scroll")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }
}

// The details of a measurement are made when they are opened; of many measurements, several are packed together.
const blocks = new Map();
async function fill(section) {
  const kept = section.querySelector(":scope > template");
  if (!section.open || !kept) return;
  const { block, place } = kept.dataset;
  if (block !== undefined) {
    if (!blocks.has(block)) blocks.set(block, dataOf(block));
    kept.innerHTML = (await blocks.get(block))[place];
    if (!kept.isConnected) return; // another call was first
  }
  kept.replaceWith(kept.content);
  itemsOnDemand(section);
  scrollByKeys(section);
  drawVisible();
}

function openLinked() {
  const linked = location.hash.startsWith("#m") ? document.getElementById(location.hash.slice(1)) : null;
  if (linked instanceof HTMLDetailsElement) {
    linked.open = true;
    fill(linked);
    linked.scrollIntoView();
  }
}

const button = document.getElementById("toggle-all");
if (button) {
  const relabel = () => {
    button.textContent = sections.every((section) => section.open) ? "Close all" : "Open all";
  };
  button.hidden = false;
  relabel();
  button.addEventListener("click", () => {
    const open = !sections.every((section) => section.open);
    for (const section of sections) section.open = open;
  });
  for (const section of sections) section.addEventListener("toggle", relabel);
}
for (const section of sections) {
  section.addEventListener("toggle", () => {
    fill(section);
    drawVisible();
  });
}

sections.forEach(fill);
scrollByKeys(document);
window.addEventListener("beforeprint", drawVisible);
window.addEventListener("hashchange", openLinked);
openLinked();
drawVisible();
