// Blocks of code: each of the theme's bars of buttons has a name of its own, and what scrolls is reached by keyboard.
const reach = () => {
  document.querySelectorAll(".md-code__nav").forEach((bar, at) => {
    bar.setAttribute("aria-label", `Code ${at + 1}`);
  });
  for (const code of document.querySelectorAll("pre > code")) {
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
  }
};
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
window.addEventListener("resize", reach);
reach();
