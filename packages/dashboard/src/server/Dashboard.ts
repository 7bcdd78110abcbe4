/** The built files of the pages, for the server of their API. */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { type NodeHandler, type StaticFile, type StaticFiles, types, wrap } from "./StaticFiles.ts"

/** The same folder from `src/server` and from `dist/server`. */
const built = fileURLToPath(new URL("../../dist/page", import.meta.url))

const yearSeconds = 31_536_000

const typeOf = (name: string) => types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"

/** The best first. */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"]
] as const

/** A built file, with its compressed forms, if any. */
const fileAt = (file: string, keptSeconds: number, tag: string): StaticFile => ({
  type: typeOf(file),
  body: { file },
  keptSeconds,
  tag,
  coded: codings.flatMap(([coding, ending]) => (fs.existsSync(file + ending) ? [[coding, file + ending] as const] : []))
})

/** A page, which browsers ask for each time. */
const pageAt = (name: string): StaticFile => {
  const file = `${built}/${name}`
  return fileAt(file, 0, String(fs.statSync(file).mtimeMs))
}

/**
 * The dashboard at `/`, the readable API document at `/docs`, and their assets below `/assets/`; empty without a build.
 *
 * Asset names contain a digest of their content, so that browsers can cache them.
 */
export const files = (): StaticFiles => {
  if (!fs.existsSync(`${built}/index.html`)) return {}
  const names = fs.readdirSync(`${built}/assets`).filter((name) => !/\.(br|gz)$/.test(name))
  const assets = names.map((name) => [`/assets/${name}`, fileAt(`${built}/assets/${name}`, yearSeconds, name)] as const)
  return { "/": pageAt("index.html"), "/docs": pageAt("docs.html"), ...Object.fromEntries(assets) }
}

/**
 * The dashboard in front of an API's handler, under one path: its page at the root, the API at `/v1` beside it. For
 * `node:http`, Express (`app.use("/limbeck", dashboard(limbeck.node))`) and others that hand on the path below the mount.
 */
export const dashboard = (api: NodeHandler): NodeHandler => wrap(files(), api)
