"use strict";
const words = document.getElementById("words"), found = document.getElementById("found");
const sections = [...document.querySelectorAll("section")].map(section => ({
  section,
  name: (section.querySelector("h2").textContent + " " + section.querySelector("p").textContent).toLowerCase(),
  rows: [...section.querySelectorAll("tbody tr")].map(row => ({ row, text: row.textContent.toLowerCase() })),
}));
function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { section, name, rows } of sections) {
    let shown = 0;
    for (const { row, text } of rows) {
      const fits = wanted.every(word => text.includes(word) || name.includes(word));
      if (row.hidden === fits) row.hidden = !fits;
      shown += fits;
    }
    section.hidden = shown === 0;
    count += shown;
  }
  found.textContent = count.toLocaleString("en") + (count === 1 ? " column" : " columns");
}
let waiting = 0;
words.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
