// The page's behaviour: rank what is in the form, show it, move the threshold, take it along.

import { fillForm, leaveFile, noteRead, paste, readFile, readForm, setSource } from "./form.js";
import { addEvidence, explanationOf, illustrationOf, isDocument, post, Problem, requestOf, textOf } from "./requests.js";
import { asCurl, asPython, fragmentOf, stateIn } from "./sharing.js";
import { asked, context, figures, fillContext, percent, rankings, showEdgesOf, verdictSentence } from "./views.js";

const $ = (id) => document.getElementById(id);
const known = JSON.parse($("known").textContent);
const LONGEST_LINK = 30000; // characters; some programs cut longer addresses

let ranked = null; // { state, replies } of what is shown
let threshold = null; // the reader's; null while it is the model's own
let running = new AbortController();

async function rank() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const state = readForm();
  const models = [state.model, ...(state.other && state.other !== state.model ? [state.other] : [])];
  showProblem(null);
  $("outcome").setAttribute("aria-busy", "true");
  $("status").textContent = "Ranking…";
  try {
    const requests = models.map((model) => requestOf(state, model));
    const replies = await Promise.all(requests.map((request) => post(request, $("key").value, signal)));
    threshold = null;
    show(state, replies);
    noteRead(state, replies[0]);
    announce();
    reveal();
    await Promise.all([explain(state, replies, models, signal), illustrate(state, models, signal)]);
  } catch (error) {
    if (error.name !== "AbortError") showProblem(error);
  } finally {
    if (!signal.aborted) $("outcome").removeAttribute("aria-busy");
  }
}

/** What is asked anew is no longer what a link in the address says, nor an example. */
function rankAnew() {
  document.querySelector(".examples [aria-current]")?.removeAttribute("aria-current");
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  rank();
}

/** The words come later than the ranking, which does not wait for them. */
async function explain(state, replies, models, signal) {
  $("outcome").removeAttribute("aria-busy");
  $("legend").textContent = "Looking for the words that carried the scores…";
  try {
    const found = models.map((model, place) => post(explanationOf(state, replies[place], model), $("key").value, signal));
    const explained = await Promise.all(found);
    show(state, ranked.replies.map((reply, place) => addEvidence(reply, explained[place])));
    $("legend").textContent = "Marked are the words without which the score falls most.";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    $("legend").textContent = `No words are marked: ${error.message}`;
  }
}

/** Pictures come later, too, of those models that have some. Without them the ranking is still there. */
async function illustrate(state, models, signal) {
  const drawn = models.map(async (model) => {
    if (!known.figures.includes(model)) return [];
    try {
      return (await post(illustrationOf(state, model), $("key").value, signal)).figures;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [];
    }
  });
  const all = await Promise.all(drawn);
  if (all.flat().length) show(state, ranked.replies.map((reply, place) => ({ ...reply, figures: all[place] })));
}

function show(state, replies) {
  ranked = { state, replies };
  $("asked").replaceChildren(...asked(state, replies));
  keepingPlace(() => {
    const parts = [rankings(state, replies, threshold), ...figures(replies)];
    if (isDocument(state)) parts.push(context(textOf(state, replies[0]), replies[0].results[0]));
    $("results").replaceChildren(...parts);
  });
  $("tools").hidden = false;
  showThreshold();
}

function moveThreshold() {
  threshold = $("threshold").value / 100;
  keepingPlace(() => $("results").firstElementChild.replaceWith(rankings(ranked.state, ranked.replies, threshold)));
  showThreshold();
}

/** What was open stays open, and the focus where it was. */
function keepingPlace(change) {
  const all = (selector) => [...$("results").querySelectorAll(selector)];
  const open = all("details").map((one) => one.open);
  const focused = all("summary, button, [tabindex]").indexOf(document.activeElement);
  change();
  all("details").forEach((one, place) => (one.open = open[place] ?? false));
  if (focused >= 0) all("summary, button, [tabindex]")[focused]?.focus({ preventScroll: true });
}

function showThreshold() {
  const own = ranked.replies.find((reply) => reply.threshold !== null)?.threshold ?? null;
  $("slider").hidden = own === null;
  if (own === null) return;
  $("threshold").value = Math.round(100 * (threshold ?? own));
  $("threshold-shown").textContent = percent(threshold ?? own);
  $("threshold").setAttribute("aria-valuetext", percent(threshold ?? own));
  $("threshold-own").textContent = `The model's own is ${percent(own)}.`;
}

function announce() {
  const said = ranked.replies.map((reply) => `${reply.model}: ${verdictSentence(reply, threshold)}`);
  $("status").textContent = `${said.join(" ")} ${ranked.replies[0].results.length} results.`;
}

/** On a narrow screen the results are below the form. */
function reveal() {
  if ($("outcome").getBoundingClientRect().top > innerHeight * 0.7) $("outcome").scrollIntoView();
}

function showProblem(problem) {
  for (const field of ["question", "text", "key"]) $(field).removeAttribute("aria-invalid");
  $("problem").hidden = problem === null;
  $("problem").textContent = problem ? problem.message : "";
  if (!problem) return;
  $("status").textContent = "";
  if (problem.status === 401) $("key-field").hidden = false;
  $("problem").scrollIntoView({ block: "nearest" });
  if (problem.field) {
    $(problem.field).setAttribute("aria-invalid", "true");
    $(problem.field).focus();
  }
}

async function open(file) {
  try {
    await readFile(file, known.max_chars, known.max_bytes);
    showProblem(null);
    $("status").textContent = `${file.name} ${readForm().content ? "is read when you rank" : "was read"}.`;
  } catch (error) {
    showProblem(error);
  }
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    $("copy-text").value = text;
    $("copy-dialog").showModal();
    $("copy-text").select();
    return;
  }
  const label = (button.dataset.label ??= button.textContent);
  button.textContent = "Copied";
  $("status").textContent = `${label}: copied.`;
  setTimeout(() => (button.textContent = label), 1500);
}

async function copyLink() {
  const fragment = await fragmentOf(ranked.state);
  if (fragment.length > LONGEST_LINK) return showProblem(new Problem("These texts are too long for a link."));
  history.replaceState(null, "", `/${fragment}`);
  return copy($("copy-link"), location.href);
}

/** What was sent, for the first model; with the words, as they are shown. */
function copyAs(form) {
  const { path, body } = requestOf(ranked.state, ranked.replies[0].model);
  const drawn = ranked.replies[0].figures?.length ? { figures: true } : {};
  const request = { path, body: path === "/ask" ? { ...body, ...drawn } : { ...body, explain: true, ...drawn } };
  return form(request, location.origin, known.key);
}

async function openLink() {
  const state = await stateIn(location.hash, 4 * known.max_chars + 10000);
  if (!state) return false;
  fillForm(state);
  await rank();
  const unknown = [state.model, state.other].filter((name) => name && !known.models.includes(name));
  if (unknown.length) showProblem(new Problem(`The link asks for ${unknown.join(" and ")}, which is not served here.`));
  return true;
}

function listen() {
  $("form").addEventListener("submit", (event) => (event.preventDefault(), rankAnew()));
  $("form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) rankAnew();
  });
  for (const id of ["model", "other"]) $(id).addEventListener("change", rankAnew);
  $("text").addEventListener("paste", paste);
  $("text").addEventListener("beforeinput", () => leaveFile());
  $("text").addEventListener("input", () => {
    leaveFile($("text").value);
    if (!$("text").value) setSource("");
  });
  $("file").addEventListener("change", () => { if ($("file").files[0]) open($("file").files[0]); $("file").value = ""; });
  $("threshold").addEventListener("input", moveThreshold);
  $("threshold").addEventListener("change", announce);
  $("results").addEventListener("click", (event) => {
    const { start, end } = event.target.closest(".spot")?.dataset ?? {};
    if (start === undefined) return;
    const box = $("results").querySelector(".document");
    fillContext(box, textOf(ranked.state, ranked.replies[0]), Number(start), Number(end));
    box.focus();
  });
  for (const kind of ["pointerover", "pointerout"]) {
    $("results").addEventListener(kind, (event) => {
      const row = kind === "pointerover" ? (event.target.closest(".row")?.dataset.row ?? null) : null;
      const picture = event.target.closest(".picture");
      if (picture) showEdgesOf(picture, row);
    });
  }
  $("copy-link").addEventListener("click", copyLink);
  $("copy-curl").addEventListener("click", (event) => copy(event.target, copyAs(asCurl)));
  $("copy-python").addEventListener("click", (event) => copy(event.target, copyAs(asPython)));
  $("copy-json").addEventListener("click", (event) => {
    const { replies } = ranked;
    copy(event.target, JSON.stringify(replies.length > 1 ? replies : replies[0], null, 2));
  });
  addEventListener("hashchange", openLink);
}

/** Wherever a file is dropped, it goes into the form; the browser would leave the page for it. */
function listenForFiles() {
  const over = (on) => $("drop").classList.toggle("over", on);
  addEventListener("dragover", (event) => (event.preventDefault(), over(true)));
  addEventListener("dragleave", () => over(false));
  addEventListener("drop", (event) => {
    over(false);
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    open(file);
  });
}

listen();
listenForFiles();
$("key-field").hidden = !known.key;
$("rank").disabled = false;
if (!(await openLink()) && known.reply) show(readForm(), [known.reply]);
