// The table of results, filtered and sorted within its groups; long item tables, made when they are opened.
// Every text goes in as text: nothing here makes elements from strings.
function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

async function makeItems(holder) {
  if (holder.dataset.made) return;
  holder.dataset.made = "yes";
  const { caption, columns, rows } = await dataOf(holder.dataset.items);
  const table = element("table", undefined, { class: "items" });
  table.append(element("caption", caption));
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  for (const column of columns) head.append(element("th", column, { scope: "col" }));
  const body = table.appendChild(element("tbody"));
  for (const row of rows) {
    const line = element("tr");
    row.forEach((value, place) => {
      line.append(place === 0 ? element("th", value, { scope: "row", dir: "auto" }) : element("td", value, { dir: "auto" }));
    });
    body.append(line);
  }
  holder.append(table);
}

function itemsOnDemand(root) {
  for (const details of root.querySelectorAll("details.more")) {
    const holder = details.querySelector(":scope > [data-items]");
    if (!holder) continue;
    if (details.open) makeItems(holder);
    details.addEventListener("toggle", () => details.open && makeItems(holder));
  }
}
itemsOnDemand(document);

const results = document.querySelector("table.results");
const resultRows = results ? [...results.querySelectorAll("tr.row")] : [];
const filters = document.querySelector(".filters");

// A table that is wider than the page scrolls in its own box, without a head that stays.
if (results && results.offsetWidth > results.parentElement.clientWidth) results.parentElement.classList.add("scroll");

function choice(name, label) {
  const values = [...new Set(resultRows.map((row) => row.dataset[name]))];
  if (values.length < 2) return;
  const select = element("select", undefined, { "data-filter": name });
  select.append(element("option", `all ${label}`, { value: "" }));
  for (const value of values.sort()) select.append(element("option", value, { value }));
  const whole = element("label", `${label} `);
  whole.append(select);
  filters.append(whole);
}

function filterResults() {
  const wanted = [...filters.querySelectorAll("select")].map((one) => [one.dataset.filter, one.value]);
  const words = filters.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
  let left = 0;
  for (const row of resultRows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !(
      wanted.every(([name, value]) => value === "" || row.dataset[name] === value) && words.every((word) => text.includes(word))
    );
    left += !row.hidden;
  }
  for (const body of results.tBodies) body.hidden = ![...body.querySelectorAll("tr.row")].some((row) => !row.hidden);
  document.querySelector(".no-match").hidden = left > 0;
  filters.querySelector("output").textContent = `${left} of ${resultRows.length} rows`;
}

function sortKey(row, place) {
  const cell = row.cells[place];
  if (cell.dataset.sort === undefined) return cell.textContent.trim().toLowerCase();
  return cell.dataset.sort === "" ? null : Number(cell.dataset.sort);
}

function compareKeys(one, other) {
  if (one === null || other === null) return (one === null) - (other === null); // what has no value stands last
  return typeof one === "number" ? one - other : one.localeCompare(other);
}

function sortResults(head, place) {
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  for (const body of results.tBodies) {
    const rows = [...body.querySelectorAll("tr.row")];
    const keys = new Map(rows.map((row) => [row, sortKey(row, place)]));
    rows.sort((one, other) => {
      const order = compareKeys(keys.get(one), keys.get(other));
      return down && keys.get(one) !== null && keys.get(other) !== null ? -order : order;
    });
    body.append(...rows);
  }
}

if (resultRows.length > 1) {
  const text = element("input", undefined, { type: "search", placeholder: "any text", "aria-label": "Rows with this text" });
  filters.append(text);
  for (const [name, label] of [["concept", "concepts"], ["model", "models"], ["verdict", "verdicts"]]) choice(name, label);
  filters.append(element("output"));
  filters.hidden = false;
  filterResults();
  filters.addEventListener("input", filterResults);
  [...results.tHead.rows[0].cells].forEach((head, place) => {
    const button = element("button", head.textContent, { type: "button", title: "Sort within the groups" });
    head.replaceChildren(button);
    button.addEventListener("click", () => sortResults(head, place));
  });
}
