// Filters and sort of the board, which are in the address, so that what is shown can be shared.
(() => {
  "use strict";
  const form = document.getElementById("filters");
  if (!form) return;
  const [q, show, sort, count] = ["q", "show", "sort", "count"].map((id) => document.getElementById(id));
  const body = document.querySelector("tbody");
  const rows = [...body.rows];
  const has = {
    detected: (row) => row.querySelector("td.detected") !== null,
    moved: (row) => row.querySelector("td.moved") !== null,
    lost: (row) => row.querySelector("td.failed, td.not-measured, th .missed") !== null,
  };
  const name = (row) => row.dataset.name;
  const apply = () => {
    const text = q.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !(name(row).toLowerCase().includes(text) && (!show.value || has[show.value](row)));
      shown += !row.hidden;
    }
    const order = sort.value === "name" ? [...rows].sort((a, b) => name(a).localeCompare(name(b))) : rows;
    body.append(...order);
    count.textContent = `${shown} of ${rows.length} models`;
  };
  const read = () => {
    const set = new URLSearchParams(location.hash.slice(1));
    q.value = set.get("q") ?? "";
    for (const one of [show, sort]) {
      const value = set.get(one.id) ?? "";
      one.value = [...one.options].some((option) => option.value === value) ? value : "";
    }
    apply();
  };
  const changed = () => {
    const set = new URLSearchParams([q, show, sort].filter((one) => one.value).map((one) => [one.id, one.value]));
    history.replaceState(null, "", set.size ? `#${set}` : location.pathname + location.search);
    apply();
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => { if (location.hash.includes("=") || !location.hash) read(); });
  form.hidden = false;
  read();
})();
