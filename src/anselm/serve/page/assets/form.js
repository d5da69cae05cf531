// What is to be ranked, as it stands in the form.

import { Problem } from "./requests.js";

const KINDS = {
  md: "markdown", markdown: "markdown", html: "html", htm: "html", csv: "csv", tsv: "tsv", json: "json", jsonl: "jsonl",
  txt: "text", text: "text", rst: "text",
};
const PACKED = ["xlsx", "xlsm", "ods", "docx", "odt", "pptx", "epub", "pdf"]; // what the service reads
const SHEET = /\.(xlsx|xlsm|ods)$/i; // of which all that is read is entries
const READABLE = ".txt, .md, .html, .csv, .tsv, .json, .jsonl, .xlsx, .ods, .docx, .odt, .pptx, .epub and .pdf";

let content = ""; // the bytes of a file that is no text, in base64; the text area says then what it is

const $ = (id) => document.getElementById(id);

export function readForm() {
  const [question, text, kind, model, other] = ["question", "text", "kind", "model", "other"].map((id) => $(id).value);
  return { question, text: content ? "" : text, kind, source: $("source").textContent, model, other, content };
}

export function fillForm(state) {
  content = state.content ?? "";
  $("question").value = state.question;
  $("text").value = content ? noteOf(state.source, "It is read when you rank.") : state.text;
  $("kind").disabled = content !== "";
  choose("kind", state.kind);
  choose("model", state.model);
  choose("other", state.other);
  setSource(state.source);
}

const noteOf = (source, sentence) => `${source}\n${sentence}`;

/** Of a file that is still there when the service has read it: how much was found in it. */
export function noteRead(state, { passages, results }) {
  if (!state.content || state.content !== content) return;
  const entries = results.some((one) => one.question) || SHEET.test(state.source);
  const [one, many] = entries ? ["entry", "entries"] : ["sentence", "sentences"];
  const found = passages === 1 ? `1 ${one} was` : `${passages.toLocaleString("en")} ${many} were`;
  $("text").value = noteOf(state.source, `${found} read.`);
}

/** What is typed or pasted takes the place of a file. */
export function leaveFile(text = "") {
  if (content) fillForm({ ...readForm(), text, kind: "", source: "", content: "" });
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
  leaveFile();
  const { value, selectionStart, selectionEnd } = $("text");
  if (selectionStart > 0 || selectionEnd < value.length) return;
  setSource("");
  const kind = kindOf(event.clipboardData.getData("text"));
  if (kind) choose("kind", kind);
}

export async function readFile(file, most, mostBytes) {
  const ending = file.name.split(".").at(-1).toLowerCase();
  const source = file.name;
  if (PACKED.includes(ending)) {
    const room = Math.floor(mostBytes / 4) * 3 - 10000; // in base64, beside a question
    if (file.size > room) throw new Problem(`${source} is too large; ${room.toLocaleString("en")} bytes are read.`, "text");
    return fillForm({ ...readForm(), text: "", kind: "file", source, content: await encoded(file) });
  }
  const kind = KINDS[ending];
  if (!kind) throw new Problem(`${source} cannot be read here; ${READABLE} can.`, "text");
  if (file.size > 4 * most) throw new Problem(`${source} is too large; ${most.toLocaleString("en")} characters are read.`, "text");
  return fillForm({ ...readForm(), text: await decoded(file), kind, source, content: "" });
}

/** In base64; an empty file has nothing that could be read. */
async function encoded(file) {
  const address = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new Problem(`${file.name} cannot be read.`, "text"));
    reader.readAsDataURL(file);
  });
  const found = address.slice(address.indexOf(",") + 1);
  if (!file.size || !found) throw new Problem(`${file.name} is empty.`, "text");
  return found;
}

async function decoded(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(`${file.name} is not a text in UTF-8.`, "text");
  }
}
