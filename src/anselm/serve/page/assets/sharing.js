// A question to take along: in the fragment of an address, which browsers send to nobody, or as a program.

const PREFIX = "#s=";

export async function fragmentOf(state) {
  const packed = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return PREFIX + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state in a fragment; null where there is none that can be read. Of what unpacks to more than `most`, too. */
export async function stateIn(fragment, most) {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const letters = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const found = JSON.parse(await unpacked(bytes, most));
    const { question, text, kind, source = "", model = "", other = "", content = "" } = found;
    const state = { question, text, kind, source, model, other, content };
    return Object.values(state).every((value) => typeof value === "string") ? state : null;
  } catch {
    return null;
  }
}

async function unpacked(bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    parts.push(value);
    size += value.length;
    if (size > most) throw new RangeError("too large");
  }
}

/** For a shell; the key, where one is needed, is taken from the environment. */
export function asCurl({ path, body }, origin, key) {
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  const header = key ? ` \\\n  -H "Authorization: Bearer $ANSELM_API_KEY"` : "";
  return `curl ${origin}${path} -H 'Content-Type: application/json'${header} \\\n  -d '${quoted}'\n`;
}

export function asPython({ path, body }, origin, key) {
  const header = key ? `, "Authorization": f"Bearer {os.environ['ANSELM_API_KEY']}"` : "";
  return `import json
${key ? "import os\n" : ""}import urllib.request

body = ${literal(body)}
headers = {"Content-Type": "application/json"${header}}
request = urllib.request.Request("${origin}${path}", json.dumps(body).encode(), headers)
print(json.dumps(json.load(urllib.request.urlopen(request)), indent=2))
`;
}

/** JSON's strings and numbers are Python's, too. */
function literal(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${literal(one)}`).join(", ")}}`;
}
