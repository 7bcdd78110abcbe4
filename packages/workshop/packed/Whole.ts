/** All packs beside each other: plain Node imports every module, and TypeScript checks programs against the declarations. */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { failureOf, linkOthers, type Pack, unpack } from "./Release.ts"

/** Not to be imported by Node alone: bodies of threads, the program, a page, and what belongs to Vitest. */
const special =
  /^@limbeck\/(executors\/dist\/(builtin\/Training|tokens\/Counting)Worker\.js$|node\/dist\/reward\/CheckingWorker\.js$|cli\/dist\/(main|Start|Program)\.js$|dashboard\/dist\/page\/|testing\/)|^limbeck\/dist\/main\.js$/

const importAll = async (folder: string): Promise<ReadonlyArray<string>> => {
  const modules = path.join(folder, "node_modules")
  const filesIn = (place: string) =>
    fs
      .readdirSync(path.join(modules, place), { recursive: true, encoding: "utf8" })
      .map((file) => path.join(place, file))
  const outputs = ["@limbeck", "limbeck"].flatMap(filesIn).filter((file) => file.endsWith(".js"))
  const wrong: Array<string> = []
  for (const file of outputs.filter((file) => !special.test(file))) {
    await import(pathToFileURL(path.join(modules, file)).href).catch((error) => wrong.push(`${file}: ${error}`))
  }
  return wrong
}

const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--types", "node"]

const checkTypes = (folder: string, programs: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  for (const [name, text] of Object.entries(programs)) fs.writeFileSync(path.join(folder, name), text)
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  return failureOf(folder, "tsc", [...options, ...Object.keys(programs)])
}

/** `packed`: where the packs lie. `programs`: texts by the names of their files. */
export const faults = async (
  folder: string,
  packed: string,
  packs: ReadonlyArray<Pack>,
  programs: Readonly<Record<string, string>>
): Promise<ReadonlyArray<string>> => {
  for (const pack of packs) unpack(packed, pack, folder)
  linkOthers(folder)
  return [...(await importAll(folder)), ...checkTypes(folder, programs)]
}
