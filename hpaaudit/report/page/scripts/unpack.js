// Unpacks the reconciles of an HPA: base64, gzip, a line of JSON, then columns. `pack.py` says how they are written.

async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = bytes.indexOf(10);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const columns = {};
  let at = end + 1;
  for (const [name, kind, constant] of data.columns) {
    if (kind === "=") {
      columns[name] = new Array(data.count).fill(constant);
      continue;
    }
    const numbers = new Array(data.count);
    let last = 0;
    for (let index = 0; index < data.count; index++) {
      let code = 0;
      let scale = 1;
      for (; bytes[at] > 127; at++, scale *= 128) code += (bytes[at] - 128) * scale;
      code += bytes[at++] * scale - 1;
      const number = code % 2 ? -(code + 1) / 2 : code / 2;
      numbers[index] = code < 0 ? null : kind === "+" ? (last += number) : number;
    }
    columns[name] = numbers;
  }
  data.columns = columns;
  for (const [name, words] of Object.entries(data.words)) columns[name] = columns[name].map((place) => words[place]);
  data.times = columns.time.map((seconds) => data.start + seconds);
  data.texts.holes = data.texts.holes.map((holes) => holes.map((numbers) => numbers.split("\n")));
  data.texts.nth = placesInForms(data.texts.formOf);
  return data;
}

// The how-manieth text of its form each text is.
function placesInForms(formOf) {
  const counts = new Map();
  return formOf.map((form) => {
    const nth = counts.get(form) ?? 0;
    counts.set(form, nth + 1);
    return nth;
  });
}

// The explanation of a reconcile as rows of label and text; null if the page does not carry it.
function explanation(data, index) {
  const form = data.texts.formOf[index];
  if (form === undefined || form < 0) return null;
  const holes = data.texts.holes[form];
  const parts = data.texts.forms[form].split("\0");
  const text = parts.map((part, place) => (place ? holes[place - 1][data.texts.nth[index]] + part : part)).join("");
  return text.split("\n").map((line) => {
    const tab = line.indexOf("\t");
    return [line.slice(0, tab), line.slice(tab + 1)];
  });
}
