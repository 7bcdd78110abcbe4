import { assert, describe, it } from "@effect/vitest"
import { defaultSampleRatio } from "@limbeck/node/telemetry/Telemetry"
import { ServerSettings } from "@limbeck/server/Settings"
import * as Result from "effect/Result"
import { childVariables, type Environment } from "../src/serve/Environment.ts"
import { closestSetting, settingNames } from "../src/serve/SettingNames.ts"
import { fromEnvironment } from "../src/serve/Settings.ts"
import { programTable } from "../src/serve/SettingTable.ts"

const key = Buffer.alloc(32, 7).toString("base64")
const letters = "0123456789abcdefghijklmnopqrstuv"

const read = (env: Environment) => fromEnvironment(env, false)
const readOrThrow = (env: Environment) => Result.getOrThrow(read(env))

/** A variable and a refused value. */
const wrong: ReadonlyArray<readonly [name: string, value: string]> = [
  ["PORT", "http"],
  ["PORT", "-1"],
  ["PORT", "65536"],
  ["PORT", "80.5"],
  ["PORT", "0x50"],
  ["MAX_CONNECTIONS", "0"],
  ["MAX_CONNECTIONS", "1000000"],
  ["KEEP_ALIVE_SECONDS", "0"],
  ["KEEP_ALIVE_SECONDS", "75s"],
  ["DATABASE_URL", "localhost:5432"],
  ["DATABASE_URL", "mysql://user:hidden-word@host/base"],
  ["STORAGE", "disk"],
  ["STORAGE", "Memory"],
  ["BOOTSTRAP_LIVE_TOKEN", letters],
  ["BOOTSTRAP_LIVE_TOKEN", `svc_test_${letters}`],
  ["BOOTSTRAP_LIVE_TOKEN", `svc_live_${letters.slice(1)}`],
  ["BOOTSTRAP_LIVE_TOKEN", `svc_live_${letters}-`],
  ["BOOTSTRAP_TEST_TOKEN", `svc_live_${letters}`],
  ["ENCRYPTION_KEY", "hidden-word"],
  ["ENCRYPTION_KEY", Buffer.alloc(31).toString("base64")],
  ["ENCRYPTION_KEY", `${key},`],
  ["PUBLIC_URL", "limbeck.example"],
  ["PUBLIC_URL", "ftp://limbeck.example"],
  ["PUBLIC_URL", "https://limbeck.example/?a=b"],
  ["RATE_LIMIT", "100"],
  ["RATE_LIMIT", "0/10"],
  ["RATE_LIMIT", "10/0"],
  ["RATE_LIMIT", "-1/5"],
  ["RATE_LIMIT", "on"],
  ["EGRESS_ALLOW", "10.0.0.0/33"],
  ["EGRESS_ALLOW", "10.0.0.0/8,somewhere"],
  ["UPLOAD_RETENTION_DAYS", "0"],
  ["UPLOAD_RETENTION_DAYS", "a week"],
  ["CALL_HISTORY_DAYS", "-1"],
  ["EVENT_HISTORY_DAYS", "a month"],
  ["CONVERSATION_HISTORY_DAYS", "0"],
  ["BILLING", "on"],
  ["BALANCE_LOW_USD", "0"],
  ["BALANCE_LOW_USD", "$5"],
  ["BALANCE_LOW_USD", "0.0000001"],
  ["EXECUTOR", "builtin"],
  ["TRAINER_ENV", "WANDB_API_KEY,HF TOKEN"],
  ["TRAINER_ENV", "ENCRYPTION_KEY"],
  ["TRAINER_REHEARSALS", "yes"],
  ["SERVING_COMMAND", "llama-server -m '{artifact}"],
  ["METRICS", "true"],
  ["LOG_LEVEL", "verbose"],
  ["LOG_FORMAT", "xml"],
  ["QUEUE_URL", "nats://localhost"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a-key"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "key=%"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER_ARG", "5 %"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5"]
]

describe("a wrong setting is one clear line that names its variable", () => {
  it.each(wrong)("%s=%s", (name, value) => {
    const said = Result.getOrThrow(Result.flip(read({ [name]: value })))
    assert.match(said, new RegExp(`^${name}: .{10,}$`))
    assert.notInclude(said, "hidden-word")
  })

  it("STORAGE=postgres without DATABASE_URL", () => {
    assert.deepStrictEqual(
      read({ STORAGE: "postgres" }),
      Result.fail("DATABASE_URL: must be set when STORAGE=postgres")
    )
  })
})

describe("a program that the server starts", () => {
  const known = {
    PATH: "/bin",
    HF_HOME: "/models",
    LC_ALL: "C",
    CUDA_VISIBLE_DEVICES: "0",
    TOKENIZERS_PARALLELISM: "true"
  }

  it("inherits what is known to hold no secret (P115)", () => {
    const secrets = {
      DATABASE_URL: "postgres://a:b@c/d",
      AWS_SECRET_ACCESS_KEY: "a",
      PGPASSWORD: "b",
      HF_TOKEN: "c",
      HF_HUB_TOKEN: "d",
      PYTHON_KEYRING_SECRET: "e",
      HTTPS_PROXY: "http://user:password@proxy"
    }
    assert.deepStrictEqual(childVariables({ ...known, HOME: undefined, ...secrets }, []), known)
  })

  it("inherits what the operator names", () => {
    const { trainerEnv } = readOrThrow({ TRAINER_ENV: " WANDB_API_KEY, HF_TOKEN ,ABSENT" })
    const named = { WANDB_API_KEY: "a", HF_TOKEN: "b" }
    assert.deepStrictEqual(childVariables({ ...known, ...named, OPENAI_API_KEY: "c" }, trainerEnv), {
      ...known,
      ...named
    })
  })
})

describe("a variable that resembles a setting and is none", () => {
  it.each([
    ["RATE_LIMITS", "RATE_LIMIT"],
    ["RATELIMIT", "RATE_LIMIT"],
    ["rate_limit", "RATE_LIMIT"],
    ["RATE_LIMTI", "RATE_LIMIT"],
    ["ENCRPYTION_KEYS", "ENCRYPTION_KEY"],
    ["DATADIR", "DATA_DIR"],
    ["STORGE", "STORAGE"],
    ["METRIC", "METRICS"],
    ["BOOTSTRAP_LIVE_TOKENS", "BOOTSTRAP_LIVE_TOKEN"]
  ])("%s ends the start, which names it and %s", (name, meant) => {
    const said = Result.getOrThrow(Result.flip(read({ [name]: "hidden-word" })))
    assert.strictEqual(said, `${name}: is no setting; did you mean ${meant}?`)
  })

  it("and another are told at once", () => {
    const said = Result.getOrThrow(Result.flip(read({ RATE_LIMITS: "off", EGRES_ALLOW: "10.0.0.0/8" })))
    assert.match(said, /^RATE_LIMITS: .* RATE_LIMIT\? EGRES_ALLOW: .* EGRESS_ALLOW\?$/)
  })

  it("does no harm where it is empty", () => {
    assert.deepStrictEqual(readOrThrow({ RATE_LIMITS: " " }), readOrThrow({}))
  })

  it("is not seen in what other programs read", () => {
    const others = [
      ...["HOME", "HOSTNAME", "HOSTTYPE", "POST", "PORTS", "SHELL", "LOGNAME", "LANG", "TMPDIR", "XDG_DATA_DIRS"],
      ...["LIMBECK_PORT", "LIMBECK_SERVICE_HOST", "POSTGRES_PORT_5432_TCP", "TEST_DATABASE_URL", "NODE_ENV", "CI"],
      ...["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_LOG_LEVEL", "npm_config_cache", "NODE_OPTIONS"]
    ]
    assert.deepStrictEqual(
      others.filter((name) => closestSetting(name) !== undefined),
      []
    )
    assert.deepStrictEqual(
      settingNames.filter((name) => closestSetting(name) !== undefined),
      []
    )
  })
})

describe("a setting of the library", () => {
  it("has one default, in the library and in the program (P1040)", () => {
    const { server } = readOrThrow({})
    assert.isNotEmpty(Object.keys(server))
    for (const [name, value] of Object.entries(server)) {
      assert.deepStrictEqual(value, ServerSettings.defaultValue()[name as keyof typeof server], name)
    }
    assert.strictEqual(programTable.telemetryShare.shown, `\`${defaultSampleRatio}\``)
  })
})

describe("a setting that is absent or empty", () => {
  const names = [...new Set(wrong.map(([name]) => name))]

  it("has its default", () => {
    const empty = readOrThrow(Object.fromEntries(names.map((name) => [name, " "])))
    assert.deepStrictEqual(empty, readOrThrow({}))
    assert.deepStrictEqual(empty, {
      host: "127.0.0.1",
      port: 8080,
      connectionsMax: 2_000,
      keepAliveSeconds: 75,
      databaseUrl: null,
      storage: "embedded",
      dataDir: "./.data",
      blobsDir: ".data/blobs",
      liveToken: null,
      testToken: null,
      encryptionKeys: null,
      publicUrl: null,
      server: {
        rateLimit: { perSecond: 100, burst: 200 },
        uploadRetentionDays: null,
        callHistoryDays: null,
        eventHistoryDays: null,
        conversationHistoryDays: null,
        billingEnforced: false,
        balanceLowUsd: 5
      },
      egressAllow: [],
      executor: "process",
      ray: null,
      trainerCommand: null,
      trainerEnv: [],
      trainerRehearses: false,
      servingCommand: null,
      modelsDir: null,
      staticEmbeddings: null,
      journalDir: ".data/journal",
      catalogFile: null,
      pricesFile: null,
      metrics: true,
      telemetry: null,
      logLevel: "Info",
      logFormat: "json"
    })
  })

  it("writes for a person on a terminal", () => {
    assert.strictEqual(Result.getOrThrow(fromEnvironment({}, true)).logFormat, "pretty")
  })
})

describe("a right setting", () => {
  it("is taken", () => {
    const given = readOrThrow({
      HOST: "::1",
      PORT: "0",
      MAX_CONNECTIONS: "50",
      KEEP_ALIVE_SECONDS: "620",
      DATABASE_URL: "postgres:///limbeck?host=/run/postgres",
      DATA_DIR: "/var/lib/limbeck",
      BLOBS_DIR: "/mnt/blobs",
      BOOTSTRAP_LIVE_TOKEN: `svc_live_${letters}`,
      BOOTSTRAP_TEST_TOKEN: `svc_test_${letters}${letters}`,
      PUBLIC_URL: "https://limbeck.example/base/",
      RATE_LIMIT: "5/10",
      EGRESS_ALLOW: "10.0.0.0/8, fd00::/8",
      UPLOAD_RETENTION_DAYS: "30",
      CALL_HISTORY_DAYS: "90",
      EVENT_HISTORY_DAYS: "45",
      CONVERSATION_HISTORY_DAYS: "60",
      BILLING: "enforced",
      BALANCE_LOW_USD: "0.50",
      EXECUTOR: "stub",
      TRAINER_COMMAND: " python3 train.py --gpu 0 ",
      TRAINER_ENV: "WANDB_API_KEY,HF_TOKEN",
      TRAINER_REHEARSALS: "on",
      SERVING_COMMAND: "llama-server -m {artifact} --port {port}",
      MODELS_DIR: "/srv/models",
      STATIC_EMBEDDINGS: "tables/small",
      CATALOG_FILE: "/etc/limbeck/catalog.json",
      PRICES_FILE: "/etc/limbeck/prices.json",
      METRICS: "off",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, tenant=1",
      OTEL_SERVICE_NAME: "loop",
      OTEL_TRACES_SAMPLER_ARG: "0.5",
      LOG_LEVEL: "warn",
      LOG_FORMAT: "pretty"
    })
    assert.deepStrictEqual(given, {
      host: "::1",
      port: 0,
      connectionsMax: 50,
      keepAliveSeconds: 620,
      databaseUrl: "postgres:///limbeck?host=/run/postgres",
      storage: "postgres",
      dataDir: "/var/lib/limbeck",
      blobsDir: "/mnt/blobs",
      liveToken: `svc_live_${letters}`,
      testToken: `svc_test_${letters}${letters}`,
      encryptionKeys: null,
      publicUrl: "https://limbeck.example/base",
      server: {
        rateLimit: { perSecond: 5, burst: 10 },
        uploadRetentionDays: 30,
        callHistoryDays: 90,
        eventHistoryDays: 45,
        conversationHistoryDays: 60,
        billingEnforced: true,
        balanceLowUsd: 0.5
      },
      egressAllow: ["10.0.0.0/8", "fd00::/8"],
      executor: "stub",
      ray: null,
      trainerCommand: "python3 train.py --gpu 0",
      trainerEnv: ["WANDB_API_KEY", "HF_TOKEN"],
      trainerRehearses: true,
      servingCommand: "llama-server -m {artifact} --port {port}",
      modelsDir: "/srv/models",
      staticEmbeddings: "tables/small",
      journalDir: "/var/lib/limbeck/journal",
      catalogFile: "/etc/limbeck/catalog.json",
      pricesFile: "/etc/limbeck/prices.json",
      metrics: false,
      telemetry: {
        endpoint: "http://collector:4318",
        headers: { "api-key": "a b", tenant: "1" },
        serviceName: "loop",
        sampleRatio: 0.5
      },
      logLevel: "Warn",
      logFormat: "pretty"
    })
  })

  it("of a Ray cluster is the address, the command, and a folder that all of it reaches (P329)", () => {
    const ray = { EXECUTOR: "ray", RAY_ADDRESS: "http://head:8265/", TRAINER_COMMAND: "python3 train.py" }
    assert.deepStrictEqual(readOrThrow({ ...ray, DATA_DIR: "/data" }).ray, {
      address: "http://head:8265",
      sharedDir: "/data/ray"
    })
    assert.strictEqual(readOrThrow({ ...ray, RAY_SHARED_DIR: "/mnt/runs" }).ray?.sharedDir, "/mnt/runs")
    assert.isNull(readOrThrow({ RAY_ADDRESS: "auto" }).ray, "it belongs to Ray's own programs")
    for (const [name, value] of [
      ["RAY_ADDRESS", ""],
      ["RAY_ADDRESS", "auto"],
      ["RAY_ADDRESS", "ray://head:10001"],
      ["TRAINER_COMMAND", ""]
    ] as const) {
      assert.match(
        Result.getOrThrow(Result.flip(read({ ...ray, [name]: value }))),
        new RegExp(`^${name}: must be .{10,}`)
      )
    }
  })

  it("of blobs is in the storage unless a folder is named; memory keeps none", () => {
    assert.isNull(readOrThrow({ DATABASE_URL: "postgres://host/base" }).blobsDir)
    assert.isNull(readOrThrow({ STORAGE: "memory" }).blobsDir)
    assert.match(Result.getOrThrow(Result.flip(read({ STORAGE: "memory", BLOBS_DIR: "/mnt" }))), /^BLOBS_DIR: .{10,}$/)
  })

  it("of keys is a list, of limits may be off, of storage wins over the URL", () => {
    assert.lengthOf(readOrThrow({ ENCRYPTION_KEY: `${key}, ${key}` }).encryptionKeys ?? [], 2)
    assert.isNull(readOrThrow({ RATE_LIMIT: "off" }).server.rateLimit)
    assert.strictEqual(readOrThrow({ STORAGE: "memory", DATABASE_URL: "postgres://host/base" }).storage, "memory")
  })
})
