// What is to be ranked, as it stands in the form.

import { Problem } from "./requests.js";

const KINDS = {
  md: "markdown", markdown: "markdown", html: "html", htm: "html", csv: "csv", tsv: "tsv", json: "json", jsonl: "jsonl",
  txt: "text", text: "text", rst: "text",
};

const $ = (id) => document.getElementById(id);

export function readForm() {
  const [question, text, kind, model, other] = ["question", "text", "kind", "model", "other"].map((id) => $(id).value);
  return { question, text, kind, source: $("source").textContent, model, other };
}

export function fillForm(state) {
  $("question").value = state.question;
  $("text").value = state.text;
  choose("kind", state.kind);
  choose("model", state.model);
  choose("other", state.other);
  setSource(state.source);
}

/** The first choice, where there is none of this name. */
function choose(id, value) {
  const values = [...$(id).options].map((option) => option.value);
  $(id).value = values.includes(value) ? value : values[0];
}

/** The name of the file that the text came from; empty for one that was typed. */
export function setSource(name) {
  $("source").textContent = name;
}

/** What a pasted text is read as, where its beginning says so: a table with the columns of a FAQ, Markdown or HTML. */
function kindOf(text) {
  const [first] = text.trimStart().split(/\r?\n/, 1);
  if (/^<(!doctype|html)\b/i.test(first)) return "html";
  if (/^#{1,3} \S/.test(first)) return "markdown";
  const columns = first.split(first.includes("\t") ? "\t" : ",").map((name) => name.trim().replace(/^"|"$/g, "").toLowerCase());
  if (!columns.includes("question") || !columns.includes("answer")) return "";
  return first.includes("\t") ? "tsv" : "csv";
}

/** A text that takes the place of all that was there may be of another kind. */
export function paste(event) {
  const { value, selectionStart, selectionEnd } = $("text");
  if (selectionStart > 0 || selectionEnd < value.length) return;
  setSource("");
  const kind = kindOf(event.clipboardData.getData("text"));
  if (kind) choose("kind", kind);
}

export async function readFile(file, most) {
  const kind = KINDS[file.name.split(".").at(-1).toLowerCase()];
  if (!kind) throw new Problem(`${file.name} cannot be read here; .txt, .md, .html, .csv, .tsv, .json and .jsonl can.`, "text");
  if (file.size > 4 * most) throw new Problem(`${file.name} is too large; ${most.toLocaleString("en")} characters are read.`, "text");
  fillForm({ ...readForm(), text: await decoded(file), kind, source: file.name });
}

async function decoded(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(`${file.name} is not a text in UTF-8.`, "text");
  }
}
