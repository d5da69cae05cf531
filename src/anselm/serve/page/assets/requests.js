// What is asked of the service, and its answers in one form, whichever route they came from.

export const TOP = 5; // sentences of a document, and results of which the words are marked; first_view.py has the same

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
  if (!state.text.trim()) throw new Problem("There is nothing to choose from: give candidates, or a document.", "text");
  if (isDocument(state)) {
    const document = { text: state.text, kind: state.kind, ...(state.source && { source: state.source }) };
    const body = { question: state.question, documents: [document], model, top: TOP, fold_duplicates: true };
    return { path: "/ask", body };
  }
  const body = { query: state.question, documents: candidates(state), model, fold_duplicates: true };
  return { path: "/v1/rerank", body };
}

/** The same list once more, for the words that carried its best; of a document, the sentences that were found. */
export function explanationOf(state, reply, model) {
  const found = reply.results.slice(0, TOP).map(({ text, question }) => ({ text, ...(question && { question }) }));
  const documents = isDocument(state) ? found : candidates(state);
  return { path: "/v1/rerank", body: { query: state.question, documents, model, top_n: TOP, explain: true } };
}

/** Put the evidence of an explanation into the results that it belongs to. */
export function addEvidence(state, reply, explained) {
  const evidence = new Map(explained.results.map((one) => [one.index, one.evidence]));
  const results = reply.results.map((one, place) => {
    const found = evidence.get(isDocument(state) ? place : one.index);
    return found ? { ...one, evidence: found } : one;
  });
  return { ...reply, results };
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
