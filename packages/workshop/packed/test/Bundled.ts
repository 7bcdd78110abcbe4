// @effect-diagnostics globalFetch:off
/** The bundled program of an installation, beside the modules that it was made of. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { freePort } from "../Alone.ts"

const token = `svc_live_${"p".repeat(32)}`

/** The document of the API, a page, an error of a missing token, a list out of storage, and a file that does not exist. */
const requests: ReadonlyArray<readonly [path: string, headers: Record<string, string>]> = [
  ["/v1/openapi.json", {}],
  ["/", {}],
  ["/v1/distill/students", {}],
  ["/v1/distill/students", { authorization: `Bearer ${token}` }],
  ["/assets/none.js", {}]
]

const answersOf = async (origin: string): Promise<ReadonlyArray<string>> =>
  Promise.all(
    requests.map(async ([route, headers]) => {
      const response = await fetch(`${origin}${route}`, { headers })
      const text = (await response.text()).replaceAll(/req_\w+/g, "req_")
      return `${route}: ${response.status} ${response.headers.get("content-type")} ${text}`
    })
  )

/** Starts a file of the program, and returns the answers of its server; undefined if it ends before it listens. */
const ask = async (folder: string, file: string, storage: string): Promise<ReadonlyArray<string> | undefined> => {
  const env = {
    ...process.env,
    STORAGE: storage,
    DATA_DIR: path.join(folder, `data-${path.basename(file)}`),
    PORT: String(await freePort()),
    PUBLIC_URL: "https://limbeck.example",
    BOOTSTRAP_LIVE_TOKEN: token,
    COMPILE_CACHE: "off"
  }
  const program = spawn(process.execPath, [file, "serve"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(program, "exit")
  try {
    for await (const line of createInterface({ input: program.stdout })) {
      const origin = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
      if (origin !== undefined) return await answersOf(origin)
    }
    return undefined
  } finally {
    program.kill("SIGTERM")
    await exited
  }
}

/** Modules of packages beside which the bundle looks for workers, pages and packages. */
const lackingPlaces = (bundle: string): ReadonlyArray<string> => {
  const { resolve } = createRequire(pathToFileURL(path.join(bundle, "Start.mjs")))
  const chunks = fs.readdirSync(bundle).filter((name) => name.endsWith(".mjs"))
  const places = chunks.flatMap((name) => [
    ...fs
      .readFileSync(path.join(bundle, name), "utf8")
      .matchAll(/new URL\(`([^`]+)`,import\.meta\.resolve\(`([^`]+)`\)\)/g)
  ])
  const lacking = places.filter(
    ([, beside = "", specifier = ""]) => !fs.existsSync(path.resolve(path.dirname(resolve(specifier)), beside))
  )
  return [
    ...(places.length === 0 ? ["the bundle looks for no worker and no page"] : []),
    ...lacking.map(([text]) => `the bundle does not find ${text}`)
  ]
}

const differences = async (folder: string, program: string, storage: string): Promise<ReadonlyArray<string>> => {
  const bundled = await ask(folder, path.join(program, "main.js"), storage)
  const modules = await ask(folder, path.join(program, "Start.js"), storage)
  if (bundled === undefined || modules === undefined) return [`the program does not start with STORAGE=${storage}`]
  return bundled.flatMap((answer, index) =>
    answer === modules[index]
      ? []
      : [`STORAGE=${storage}: ${answer.slice(0, 300)}, not ${modules[index]?.slice(0, 300)}`]
  )
}

export const alike = {
  promise: "the bundled program has the answers of its modules, on memory and on the embedded Postgres (P1827)",
  take: async (folder: string): Promise<ReadonlyArray<string>> => {
    const program = path.join(folder, "node_modules/@limbeck/cli/dist")
    return [
      ...lackingPlaces(path.join(program, "bundle")),
      ...(await differences(folder, program, "memory")),
      ...(await differences(folder, program, "embedded"))
    ]
  }
}
