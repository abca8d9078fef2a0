// Shows an OpenAPI description, and asks what it describes, of this machine's fleet alone.
"use strict";

const made = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value);
  }
  // Text is always text: whatever a description or an answer says is never markup.
  element.append(...children);
  return element;
};

const field = (label, control) => made("label", {}, label, control);

const resolved = (schema, whole) =>
  schema && schema.$ref ? schema.$ref.slice(2).split("/").reduce((at, part) => at[part], whole) : schema;

const example = (schema, whole, depth = 0) => {
  const at = resolved(schema, whole) || {};
  if ("default" in at) return at.default;
  if ("const" in at) return at.const;
  if (at.enum) return at.enum[0];
  if (at.anyOf) return example(at.anyOf[0], whole, depth + 1);
  if (at.type === "array") return depth > 3 ? [] : [example(at.items, whole, depth + 1)];
  if (at.type === "integer" || at.type === "number") return at.minimum ?? 0;
  if (at.type === "boolean") return false;
  if (at.type !== "object" && !at.properties) return at.format === "date-time" ? "2027-05-01T14:00:00Z" : "";
  const wanted = new Set(at.required || []);
  const chosen = Object.entries(at.properties || {}).filter(([name]) => wanted.has(name));
  return Object.fromEntries(chosen.map(([name, each]) => [name, example(each, whole, depth + 1)]));
};

const asked = async (route, controls, out) => {
  const [method, path, base, parameters] = route;
  const value = (name) => controls[name].value.trim();
  let url = base + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(value(name)));
  const query = parameters.filter((each) => each.in === "query" && value(each.name));
  if (query.length) url += "?" + new URLSearchParams(query.map((each) => [each.name, value(each.name)]));
  const headers = { authorization: "Bearer " + document.querySelector("#token").value.trim() };
  for (const each of parameters.filter((one) => one.in === "header" && value(one.name))) headers[each.name] = value(each.name);
  const options = { method, headers };
  if (controls.body) {
    headers["content-type"] = "application/json";
    options.body = controls.body.value;
  }
  out.textContent = method + " " + url + "\n…";
  try {
    const answer = await fetch(url, options);
    const text = await answer.text();
    let shown = text;
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch (_) { /* no JSON: as it came */ }
    out.textContent = `${method} ${url}\n${answer.status}\n\n${shown}`;
    out.classList.toggle("refused", answer.status >= 400);
  } catch (trouble) {
    out.textContent = `${method} ${url}\n${trouble.message}`;
    out.classList.add("refused");
  }
};

const operation = (method, path, base, told, whole) => {
  const controls = {};
  const box = made("details", {}, made("summary", {}, made("span", { class: "method" }, method), made("code", {}, path), " " + told.summary));
  box.addEventListener("toggle", () => {
    if (!box.open || box.dataset.built) return;
    box.dataset.built = "yes";
    box.append(made("p", {}, told.description));
    for (const each of told.parameters) {
      controls[each.name] = made("input", { name: each.name, spellcheck: "false" });
      box.append(field(`${each.name} (${each.in}${each.required ? ", required" : ""})`, controls[each.name]));
    }
    const body = told.requestBody && told.requestBody.content["application/json"].schema;
    if (body) {
      controls.body = made("textarea", { spellcheck: "false" });
      controls.body.value = JSON.stringify(example(body, whole), null, 2);
      box.append(field("body", controls.body));
    }
    const out = made("pre", { "aria-live": "polite" });
    const ask = made("button", { type: "button" }, "Ask");
    ask.addEventListener("click", () => asked([method, path, base, told.parameters], controls, out));
    box.append(ask, out);
  }, { passive: true });
  return box;
};

const shown = (whole) => {
  const groups = new Map();
  for (const [path, item] of Object.entries(whole.paths)) {
    const base = item.servers[0].url;
    for (const [method, told] of Object.entries(item)) {
      if (method === "servers") continue;
      const name = `${base.slice(1)}: ${told.tags[0]}`;
      if (!groups.has(name)) groups.set(name, made("section", {}, made("h2", {}, name)));
      groups.get(name).append(operation(method.toUpperCase(), path, base, told, whole));
    }
  }
  document.querySelector("main").append(made("p", {}, whole.info.description), ...groups.values());
};

fetch("/docs/openapi.json").then((answer) => answer.json()).then(shown);
