// A ranking as elements of the page; markup.py makes the same HTML of the first view.

import { candidates, isDocument } from "./requests.js";

const LEADING = 1 / 3; // of the largest weight: from there on a word is marked
const LIKELY = 0.05; // probability of a result: below, nothing is marked
const SHOWN = 20; // results, before the others are folded
const AROUND = 20000; // characters of a document on both sides of its best sentence

/** An element; texts among its children are never read as HTML. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export const percent = (share) => `${Math.floor(100 * share + 0.5)}%`;

/** The question as it was read, with the words marked that carried the best answer. */
export function asked(state, replies) {
  const best = replies[0].results[0];
  return marked(replies[0].read_as ?? state.question, best && isLikely(best) ? best.evidence?.question : []);
}

/** One for each reply; `threshold` is the reader's, or null for that of each model. */
export function rankings(state, replies, threshold) {
  const found = replies.map((reply) => ranking(state, reply, threshold));
  return element("div", { class: replies.length > 1 ? "rankings two" : "rankings" }, ...found);
}

function ranking(state, reply, threshold) {
  const none = isAnswerable(reply, threshold) === false;
  const lines = isDocument(state) ? [] : candidates(state);
  const items = reply.results.map((result) => item(result, lines));
  const list = { class: none ? "answers none" : "answers" };
  const rest = items.slice(SHOWN);
  return element(
    "section",
    { class: "ranking", "aria-label": `Model ${reply.model}` },
    element("h3", { class: "model" }, reply.model),
    ...verdict(reply, threshold),
    reply.read_as ? element("p", { class: "quiet" }, `Read as: ${reply.read_as}`) : null,
    reply.question_cut ? element("p", { class: "quiet" }, cutNote(reply.question_cut)) : null,
    ...warningsOf(reply).map((warning) => element("p", { class: "quiet" }, warning)),
    element("ol", list, ...items.slice(0, SHOWN)),
    rest.length
      ? element("details", { class: "more" }, element("summary", {}, `${rest.length} more`), element("ol", list, ...rest))
      : null,
  );
}

const UNSURE = 0.3; // as in anselm/ranking/answers.py: from here on, a refusal is a doubt

const cutNote = (count) =>
  `The question is longer than the model reads: answers are read beside its first ${count} characters.`;

const warningsOf = (reply) => reply.warnings ?? reply.meta?.warnings ?? [];

export function isAnswerable(reply, threshold) {
  return reply.answerability === null ? null : reply.answerability >= (threshold ?? reply.threshold);
}

/** In words, for the page and for screen readers. */
const SENTENCES = {
  unknown: "This model cannot tell whether there is an answer.",
  yes: "There is an answer.",
  doubt: "Perhaps an answer.",
  no: "No answer here.",
};

function verdictSide(reply, threshold) {
  const found = isAnswerable(reply, threshold);
  if (found === null) return "unknown";
  if (found) return "yes";
  return reply.answerability >= UNSURE ? "doubt" : "no";
}

export const verdictSentence = (reply, threshold) => SENTENCES[verdictSide(reply, threshold)];

function verdict(reply, threshold) {
  const side = verdictSide(reply, threshold);
  const sentence = element("p", { class: `verdict ${side}` }, SENTENCES[side]);
  if (side === "unknown") return [sentence];
  const figures = `Answerability ${percent(reply.answerability)}, threshold ${percent(threshold ?? reply.threshold)}.`;
  return [sentence, element("p", { class: "quiet" }, figures)];
}

function item(result, lines) {
  const text = result.text ?? lines[result.index];
  const words = (isLikely(result) && result.evidence) || {};
  return element(
    "li",
    {},
    element("div", { class: "likely" }, ...likelihood(result)),
    element(
      "div",
      { class: "said" },
      result.question ? element("p", { class: "filed" }, ...marked(result.question, words.entry_question)) : null,
      element("p", {}, ...marked(text, words.answer)),
      place(result),
      folded(result, lines),
    ),
  );
}

/** Of what is hardly an answer, words carried nothing. */
const isLikely = (result) => result.probability === null || result.probability >= LIKELY;

/** The probability and a bar of it. Without a calibration, a score is no probability, and not shown as one. */
function likelihood(result) {
  const share = result.probability;
  if (share === null) return [element("span", {}, (result.relevance_score ?? result.score ?? 0).toFixed(2))];
  const bar = element("progress", { max: 1, value: share.toFixed(4), "aria-hidden": "true" });
  return [element("span", {}, percent(share)), bar];
}

/** Where it stands, and how it was read. */
function place(result) {
  const found = result.source === undefined ? [] : [spot(result)];
  if (result.heading) found.push(result.heading);
  if (result.windowed) found.push("read in windows");
  if (result.read === false) found.push("read by the smaller model alone");
  if (!found.length) return null;
  return element("p", { class: "place" }, ...found.flatMap((part, number) => (number ? [" · ", part] : [part])));
}

function spot(result) {
  const button = element("button", { type: "button", class: "spot" }, `${result.source}, line ${result.line}`);
  button.dataset.start = result.start;
  button.dataset.end = result.end;
  return button;
}

function folded(result, lines) {
  const others = result.duplicates ?? [];
  if (!others.length) return null;
  const label = `${others.length} near-duplicate${others.length > 1 ? "s" : ""} folded`;
  if (!lines.length) return element("p", { class: "place" }, label);
  const items = others.map((other) => element("li", {}, lines[other]));
  return element("details", { class: "folded" }, element("summary", {}, label), element("ul", {}, ...items));
}

/** What the models have to show of the list. Pictures are drawn by the service; no script in one would be run. */
export function figures(replies) {
  const drawn = replies.flatMap((reply) => (reply.figures ?? []).map((figure) => [figure, reply.model]));
  return drawn.map(([figure, model]) => {
    const title = replies.length > 1 ? `${figure.title}: ${model}` : figure.title;
    const picture = element("div", { class: "picture", tabindex: 0, role: "group", "aria-label": `Picture: ${title}` });
    picture.append(...new DOMParser().parseFromString(figure.svg, "text/html").body.childNodes);
    const sentences = figure.sentences.map((sentence) => element("li", {}, sentence));
    const words = element("details", {}, element("summary", {}, "In words"), element("ul", {}, ...sentences));
    return element("figure", { class: "figure" }, element("figcaption", {}, element("h3", {}, title)), picture, words);
  });
}

/** In a picture of graphs, the lines of one row alone; of all rows again for null. */
export function showEdgesOf(picture, row) {
  for (const edge of picture.querySelectorAll(".edge")) {
    edge.classList.toggle("dim", row !== null && !edge.dataset.ends.split(" ").includes(row));
  }
}

/** A text with those words marked that carried most. */
function marked(text, words = []) {
  const largest = Math.max(0, ...words.map((word) => word.weight));
  const chosen = words.filter((word) => word.weight > 0 && word.weight >= LEADING * largest);
  return withMarks(text, chosen.map((word) => [word.start, word.end]));
}

/** Offsets of the service count code points; those of strings here do not. */
function withMarks(text, spans) {
  const points = Array.from(text);
  const parts = [];
  let last = 0;
  for (const [start, end] of spans) {
    parts.push(points.slice(last, start).join(""), element("mark", {}, points.slice(start, end).join("")));
    last = end;
  }
  return [...parts, points.slice(last).join("")];
}

/** The document, with the best sentence in its place. */
export function context(text, best) {
  const box = element("div", { class: "document", tabindex: 0, role: "group", "aria-label": `Text of ${best.source}` });
  fillContext(box, text, best.start, best.end);
  const label = `The best sentence in ${best.source}`;
  return element("section", { class: "context", "aria-label": label }, element("h3", {}, `In ${best.source}`), box);
}

/** The document around a passage, which is marked and in view. */
export function fillContext(box, text, start, end) {
  const points = Array.from(text);
  const [first, last] = [Math.max(0, start - AROUND), Math.min(points.length, end + AROUND)];
  const parts = withMarks(points.slice(first, last).join(""), [[start - first, end - first]]);
  box.replaceChildren(first > 0 ? "… " : "", ...parts, last < points.length ? " …" : "");
  const mark = box.querySelector("mark");
  requestAnimationFrame(() => (box.scrollTop = mark.offsetTop - box.clientHeight / 3));
}
