// The table of a fleet: sorted by a click on a column's head, filtered by what is typed.

function fleet(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const input = document.querySelector("#filter");
  const shownCount = document.querySelector("#shown");
  input.closest("label").hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    shownCount.textContent = wanted.length ? `${shown} of ${count(rows.length, "HPA")}` : "";
  });
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element("button", "sort", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => sortBy(head, column));
  });

  function sortBy(head, column) {
    const isNumber = head.classList.contains("right");
    const direction = head.ariaSort === (isNumber ? "descending" : "ascending") ? (isNumber ? "ascending" : "descending") : isNumber ? "descending" : "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    rows.sort((one, other) => sign * (isNumber ? value(one) - value(other) : value(one).localeCompare(value(other))));
    body.append(...rows);
  }
}
