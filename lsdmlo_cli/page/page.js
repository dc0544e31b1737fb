"use strict";
(function () {
  const model = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("content");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let used = 0;

  // An element with attributes and children; a text stays a text.
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function newId(word) {
    used += 1;
    return word + "-" + used;
  }

  function figure(value, digits) {
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") return String(value);
    return value.toLocaleString("en", digits === null ? { maximumFractionDigits: 4 } : { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  function compare(one, other) {
    if (one === null || other === null) return (one === null) - (other === null);
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one).localeCompare(String(other), "en", { numeric: true });
  }

  // Missing figures stay at the end, whichever way the rest is sorted.
  function sorted(rows, column, falling) {
    return rows.slice().sort((a, b) => {
      const order = compare(a[column], b[column]);
      return a[column] === null || b[column] === null ? order : falling ? -order : order;
    });
  }

  // ---- tables

  function isText(data, column) {
    return data.rows.some((row) => typeof row[column] === "string");
  }

  // A name at the head of a row; of a long one the first lines are shown, and all of it where one points.
  function named(name) {
    return make("th", { scope: "row", class: "text", dir: "auto" }, make("span", name.length > 60 ? { class: "name", title: name } : { class: "name" }, name));
  }

  function cell(data, row, column) {
    const text = isText(data, column);
    const value = figure(row[column], data.columns[column].digits);
    if (column === 0) return named(value);
    return make("td", text ? { class: "text", dir: "auto" } : {}, value);
  }

  function table(data) {
    const title = make("h2", { id: newId("table") }, data.title);
    const body = make("tbody");
    const state = { column: data.order, falling: true, words: "" };
    const heads = data.columns.map((column, place) => {
      const button = make("button", { type: "button" }, column.title);
      if (column.hint) button.title = column.hint;
      const head = make("th", { scope: "col", class: place === 0 || isText(data, place) ? "text" : "figure", "aria-sort": "none" }, button);
      button.addEventListener("click", () => {
        state.falling = state.column === place ? !state.falling : !isText(data, place);
        state.column = place;
        show();
      });
      return head;
    });
    const told = make("output", { "aria-live": "polite" });

    function show() {
      const words = state.words.toLocaleLowerCase();
      const rows = data.rows.filter((row) => row.some((value) => typeof value === "string" && value.toLocaleLowerCase().includes(words)));
      const ordered = state.column === null ? rows : sorted(rows, state.column, state.falling);
      heads.forEach((head, place) => {
        head.setAttribute("aria-sort", place !== state.column ? "none" : state.falling ? "descending" : "ascending");
      });
      body.replaceChildren(
        ...ordered.map((row) => make("tr", row.includes("minority") ? { class: "minority" } : {}, ...row.map((_, place) => cell(data, row, place))))
      );
      told.textContent = rows.length === data.rows.length ? rows.length + " rows" : rows.length + " of " + data.rows.length + " rows";
    }

    const filter = make("input", { type: "search", id: newId("filter"), autocomplete: "off", size: "18" });
    filter.addEventListener("input", () => {
      state.words = filter.value;
      show();
    });
    show();
    const tools = make("div", { class: "tools" }, make("label", { for: filter.id }, "Filter "), filter, told);
    const grid = make("table", { "aria-labelledby": title.id }, make("thead", {}, make("tr", {}, ...heads)), body);
    const region = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": title.id }, grid);
    return make("div", { class: "table" }, title, ...(data.rows.length > 12 ? [tools] : []), region);
  }

  // ---- pictures

  const drawings = [];

  function pictures(found) {
    if (!found.length) return null;
    const title = make("h2", { id: newId("pictures") }, "Pictures");
    const figures = found.map((picture) => {
      const canvas = make("div", { class: "canvas", tabindex: "0", role: "group", "aria-label": picture.spec.description });
      drawings.push({ canvas, spec: picture.spec, view: null });
      return make("figure", { "data-picture": picture.name, "aria-label": picture.summary }, canvas);
    });
    return make("div", {}, title, make("div", { class: "figures" }, ...figures));
  }

  async function draw(drawing) {
    if (drawing.view) drawing.view.finalize();
    const shade = dark.matches ? "dark" : "light";
    const config = Object.assign({}, model.themes[shade], { background: "transparent" });
    const options = { mode: "vega-lite", renderer: "svg", actions: false, config: config, tooltip: { theme: shade } };
    drawing.view = (await vegaEmbed(drawing.canvas, drawing.spec, options)).view;
    const width = Number(drawing.canvas.querySelector("svg").getAttribute("width"));
    drawing.canvas.parentElement.classList.toggle("wide", width > 600);
  }

  async function drawAll() {
    document.body.dataset.drawn = "";
    for (const drawing of drawings) await draw(drawing);
    document.body.dataset.drawn = dark.matches ? "dark" : "light";
  }

  // ---- new rows

  function facts(pairs) {
    return make(
      "dl",
      {},
      ...pairs.map(([name, value]) => {
        const text = figure(value, null);
        return make("div", text.length > 60 ? { class: "wide" } : {}, make("dt", {}, String(name)), make("dd", { dir: "auto" }, text));
      })
    );
  }

  function plainTable(caption, titles, rows) {
    const isText = (place) => rows.some((row) => row[place].classList.contains("text"));
    const heads = titles.map((title, place) => make("th", { scope: "col", class: isText(place) ? "text" : "" }, make("span", {}, title)));
    const lines = rows.map((row) => make("tr", {}, ...row));
    const grid = make("table", { "aria-label": caption }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, grid);
  }

  function mark(set) {
    return make("td", { class: set ? "yes" : "no" }, set ? "yes" : "no");
  }

  function told(data, label) {
    const ends = label.slice(3);
    return data.reasons[label[2]].replace(/\{\}/g, () => figure(ends.shift(), null));
  }

  function explained(data, packed) {
    const [row, seed, reference, label, imbalance, values, labels] = packed;
    const near = imbalance === null ? [] : [["its neighbours without the label", Math.round(imbalance * data.k) + " of " + data.k]];
    const parents = [["row", row], ["made for", label === null ? null : data.labels[label]], ["seed, a row of the input", seed], ["reference, a row of the input", reference]];
    const shares = label === null ? {} : data.thetas[label];
    const features = values.map(([feature, own, ofSeed = own, ofReference = own]) => [
      named(data.features[feature]),
      ...[own, ofSeed, ofReference].map((value) => make("td", { dir: "auto" }, value)),
      make("td", {}, shares[feature] === undefined ? "–" : (100 * shares[feature]).toFixed(1) + " %"),
    ]);
    const unpacked = labels.map((one) => (typeof one === "number" ? [one, 7, data.both] : one));
    const reasons = unpacked.map((one) => [
      named(data.labels[one[0]]),
      ...[1, 2, 4].map((bit) => mark((one[1] & bit) > 0)),
      make("td", { class: "text" }, told(data, one)),
    ]);
    return [
      facts(parents.concat(near)),
      plainTable("Labels of row " + row, ["label", "new row", "seed", "reference", "why"], reasons),
      plainTable("Values of row " + row, ["feature", "new row", "seed", "reference", "share of the label's distance"], features),
    ];
  }

  function rows(data) {
    if (!data) return null;
    const title = make("h2", { id: newId("rows") }, "A new row explained");
    const article = make("div", { class: "row", "aria-live": "polite" });
    const label = make("select", { id: newId("label") }, make("option", { value: "" }, "any label"));
    for (const [place, count] of data.made_for) label.append(make("option", { value: place }, data.labels[place].slice(0, 80) + " (" + count + ")"));
    const number = make("input", { type: "number", id: newId("number"), min: data.rows[0][0], max: data.rows[data.rows.length - 1][0], value: data.rows[0][0] });
    const back = make("button", { type: "button" }, "Previous");
    const next = make("button", { type: "button" }, "Next");
    const places = new Map(data.rows.map((row, place) => [row[0], place]));
    let at = 0;

    function show(place) {
      at = place;
      number.value = data.rows[place][0];
      article.replaceChildren(...explained(data, data.rows[place]));
    }

    function fits(place) {
      return label.value === "" || data.rows[place][3] === Number(label.value);
    }

    function step(by) {
      for (let place = at + by; place >= 0 && place < data.rows.length; place += by) if (fits(place)) return show(place);
    }

    label.addEventListener("change", () => {
      const first = data.rows.findIndex((_, place) => fits(place));
      if (first >= 0) show(first);
    });
    number.addEventListener("change", () => {
      const place = places.get(Number(number.value));
      if (place === undefined) number.value = data.rows[at][0];
      else show(place);
    });
    back.addEventListener("click", () => step(-1));
    next.addEventListener("click", () => step(1));
    show(0);
    const tools = make("div", { class: "tools" }, make("label", { for: number.id }, "Row"), number, back, next, make("label", { for: label.id }, "made for"), label);
    return make("div", { class: "rows" }, title, make("p", {}, data.lead), tools, article);
  }

  // ---- the page

  function section(data) {
    const id = newId("part");
    const heading = make("h1", { id: id + "-title", dir: "auto" }, data.title);
    const warnings = data.warnings.length
      ? make("ul", { class: "warnings", "aria-label": "Notes and warnings" }, ...data.warnings.map((line) => make("li", { dir: "auto" }, line)))
      : null;
    const parts = [...data.tables.map(table), pictures(data.pictures), ...data.made.map(table), rows(data.rows)];
    const lead = make("div", { class: "lead" }, ...data.lead.map((line) => make("p", { dir: "auto" }, line)));
    return make("section", { class: "subject", id: id, "aria-labelledby": heading.id }, heading, lead, facts(data.facts), warnings, ...parts);
  }

  function contents(sections) {
    const list = document.getElementById("contents");
    const many = sections.length > 1;
    for (const part of sections) {
      const targets = many ? [part] : Array.from(part.querySelectorAll("h2"));
      for (const target of targets) {
        const text = many ? part.querySelector("h1").textContent.slice(0, 60) : target.textContent;
        list.append(make("li", {}, make("a", { href: "#" + target.id, dir: "auto" }, text)));
      }
    }
  }

  const sections = model.sections.map(section);
  document.title = model.sections.map((part) => part.title).join(", ").slice(0, 120);
  document.getElementById("version").textContent = model.version;
  main.append(...sections);
  contents(sections);
  dark.addEventListener("change", drawAll);
  drawAll();
})();
