/** The files of the page, as they were built, for the server whose API the page speaks to. */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { around, type NodeHandler, type StaticFiles, types } from "./StaticFiles.ts"

/** The same folder from `src/server` and from `dist/server`. */
const built = fileURLToPath(new URL("../../dist/page", import.meta.url))

const yearSeconds = 31_536_000

const typeOf = (name: string) => types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"

/**
 * The page at `/` and what it loads below `/assets/`; none where it was not built.
 *
 * Names of assets have a digest of their content, so that browsers keep them; the page itself they ask for each time.
 */
export const files = (): StaticFiles => {
  const index = `${built}/index.html`
  if (!fs.existsSync(index)) return {}
  const page = { type: typeOf(index), body: { file: index }, keptSeconds: 0, tag: String(fs.statSync(index).mtimeMs) }
  const assets = fs.readdirSync(`${built}/assets`).map((name) => {
    const file = { type: typeOf(name), body: { file: `${built}/assets/${name}` }, keptSeconds: yearSeconds, tag: name }
    return [`/assets/${name}`, file] as const
  })
  return { "/": page, ...Object.fromEntries(assets) }
}

/**
 * The dashboard in front of an API's handler, under one path: the page at its root, the API at `/v1` beside it. For
 * `node:http`, Express (`app.use("/limbeck", dashboard(limbeck.node))`) and others that hand on the path below the mount.
 */
export const dashboard = (api: NodeHandler): NodeHandler => around(files(), api)
