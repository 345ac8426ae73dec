// The part of a passage in which the words of a query stand, with these marked.

import { h } from "./dom.js";

/** The words of a query that a text may have: without operators, exclusions and short ones. */
export function wordsOf(query) {
  return query
    .replace(/\S+:\S+|-\S+/g, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((each) => each.length > 2);
}

/** At most `most` characters of a text around the first of the words, as text and marks. */
export function marked(text, words, most) {
  const plain = text.replace(/^#+ .*\n+/, "").replace(/\s+/g, " ");
  const found = words.length > 0 && new RegExp(`(${words.map(beginning).join("|")})`, "giu");
  const first = found ? plain.search(found) : -1;
  const from = first > most / 2 ? plain.indexOf(" ", first - most / 3) + 1 : 0;
  const cut = plain.slice(from, from + most);
  const shown = `${from > 0 ? "… " : ""}${cut}${from + most < plain.length ? "…" : ""}`;
  if (!found) return [shown];
  return shown.split(found).map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}

// Words are found by their stems, so that "backups" marks "backup", too.
const beginning = (word) => `(?<![\\p{L}\\p{N}])${word.replace(/(ies|es|s|ing|ed)$/, "")}\\p{L}*`;
