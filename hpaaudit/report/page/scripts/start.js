// Begins: charts where they can be seen, the table of a fleet, colours that follow the system.

const all = [];

async function mount(root) {
  if (root.dataset.begun) return;
  root.dataset.begun = "yes";
  const data = await unpack(root.querySelector("script").textContent);
  if (!data.count) return;
  root.closest(".hpa").classList.add("live");
  const chart = new Charts(root, data, `hpa${all.length}`);
  all.push(chart);
  chart.explain(toldAt(data, Number(root.dataset.moment)));
}

function start() {
  readColours();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    for (const chart of all) chart.repainted();
  });
  for (const root of document.querySelectorAll(".charts")) {
    const folded = root.closest("details.hpa");
    if (!folded || folded.open) mount(root);
    folded?.addEventListener("toggle", () => folded.open && mount(root));
  }
  const table = document.querySelector("table.fleet");
  if (table) fleet(table);
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details.told")) one.open = true;
  });
}

// Without gzip in the browser the page stays as it is without scripts: pictures and texts.
if (globalThis.DecompressionStream) start();
