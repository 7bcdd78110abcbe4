/** The samples of docs/receiving.md, as programs with their imports and free names filled in. */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { runInThisContext } from "node:vm"

const page = readFileSync(new URL("../../../../docs/receiving.md", import.meta.url), "utf8")

const importLine = /^import \{ ([\w, ]+) \} from "(@limbeck\/client\/\w+\/\w+)"$/gm

const chapterOf = (heading: string): string =>
  page.split(/^## /m).find((chapter) => chapter.startsWith(`${heading}\n`)) ?? ""

/** The samples under a heading, in order. */
export const samplesOf = (heading: string): ReadonlyArray<string> =>
  [...chapterOf(heading).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, sample = ""]) => sample)

/** Runs a sample, and answers what it has named `result`. */
export const runSample = async <A>(
  sample: string,
  given: Readonly<Record<string, unknown>>,
  result = "undefined"
): Promise<A> => {
  const scope: Record<string, unknown> = { ...given }
  for (const [, names = "", module = ""] of sample.matchAll(importLine)) {
    const exported = await import(module)
    for (const name of names.split(", ")) scope[name] = exported[name]
  }
  const body = stripTypeScriptTypes(`async () => {${sample.replaceAll(importLine, "")}\nreturn ${result}}`)
  const program = runInThisContext(`({ ${Object.keys(scope).join(", ")} }) => (${body})()`)
  return program(scope)
}
