/** Markup from templates: inserted values are escaped text, except for markup made here. */

export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

export type Part = Html | string | number | null | ReadonlyArray<Part>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Safe between tags and inside quoted attributes. HTML has no NUL and no half of a character: a mark shows where one was. */
export const escape = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll("\0", "\ufffd")
    .replaceAll("\r", "&#13;")
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)

const render = (part: Part): string => {
  if (part === null) return ""
  if (part instanceof Html) return part.markup
  return typeof part === "object" ? part.map(render).join("") : escape(String(part))
}

export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(render)))
