// What is asked of the service, and its answers in one form, whichever route they came from.

export const TOP = 5; // sentences of a document, and results of which the words are marked; first_view.py has the same

const TYPED = "your text"; // what a document without a name is called

/** Why there is no ranking: one sentence, the field it is about, if any, and the status of the service. */
export class Problem extends Error {
  constructor(sentence, field = "", status = 0) {
    super(sentence);
    this.field = field;
    this.status = status;
  }
}

export const isDocument = (state) => state.kind !== "lines" && state.kind !== "paragraphs";

export function candidates(state) {
  const parts = state.text.split(state.kind === "lines" ? /\r?\n/ : /(?:\r?\n[ \t]*){2,}/);
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** Route and body for one model. */
export function requestOf(state, model) {
  if (!state.question.trim()) throw new Problem("Ask a question first.", "question");
  if (!state.content && !state.text.trim()) throw new Problem("There is nothing to choose from: give candidates, or a document.", "text");
  if (isDocument(state)) {
    const file = state.content && { content: state.content, source: state.source };
    const document = file || { text: state.text, kind: state.kind, source: state.source || TYPED };
    const body = { question: state.question, documents: [document], model, top: TOP, fold_duplicates: true };
    if (file) body.return_documents = true;
    return { path: "/ask", body };
  }
  const body = { query: state.question, documents: candidates(state), model, fold_duplicates: true };
  return { path: "/v1/rerank", body };
}

/** The document; of a file, what the service found in it. */
export const textOf = (state, reply) => (state.content ? reply.documents[0].text : state.text);

/** What was found once more, for the words that carried the best of it; of long lists not all, as it takes time. */
export function explanationOf(state, reply, model) {
  const lines = isDocument(state) ? [] : candidates(state);
  const documents = reply.results.slice(0, 10 * TOP).map(({ index, text, question }) => ({
    text: text ?? lines[index],
    ...(question && { question }),
  }));
  return { path: "/v1/rerank", body: { query: state.question, documents, model, top_n: TOP, explain: true } };
}

/** The results, each with its evidence where the explanation has some. */
export function addEvidence(reply, explained) {
  const evidence = new Map(explained.results.map((one) => [one.index, one.evidence]));
  const results = reply.results.map((one, place) => (evidence.has(place) ? { ...one, evidence: evidence.get(place) } : one));
  return { ...reply, results };
}

/** The same once more, for what the model has to show of the list. */
export function illustrationOf(state, model) {
  const { path, body } = requestOf(state, model);
  return { path, body: { ...body, figures: true } };
}

export async function post({ path, body }, key, signal) {
  const headers = { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) };
  let response;
  try {
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The service cannot be reached.");
  }
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  throw refusal(response.status, reply.message || `The service answered with status ${response.status}.`);
}

function refusal(status, message) {
  const sentence = message[0].toUpperCase() + message.slice(1);
  const field = status === 401 ? "key" : "";
  return new Problem(/[.!?]$/.test(sentence) ? sentence : `${sentence}.`, field, status);
}
