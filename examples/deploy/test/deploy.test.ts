// Reads metrics like Prometheus.
// @effect-diagnostics globalFetch:off
/** The deployment files match the server: its settings, times and metrics, with no more rights than needed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Limits } from "@limbeck/cli/serve/Limits"
import { settingNames } from "@limbeck/cli/serve/SettingNames"
import { eventually } from "@limbeck/testing/Eventually"
import { parseAllDocuments } from "yaml"
import * as Programs from "../../../packages/workshop/programs/Programs.ts"

const root = new URL("../../../", import.meta.url)
const read = (name: string) => fs.readFile(new URL(`../${name}`, import.meta.url), "utf8")

/** What files hold; assertions look into it. */
type Tree = ReturnType<typeof JSON.parse>

/** Each document, without a warning of the parser. */
const documents = async (name: string): Promise<ReadonlyArray<Tree>> =>
  parseAllDocuments(await read(name)).map((document) => {
    assert.deepStrictEqual([document.errors, document.warnings], [[], []])
    return document.toJS()
  })

const stopSeconds = Limits.stopMillisMax / 1_000
const isSetting = (name: string): boolean => settingNames.includes(name)
const assertSettings = (names: ReadonlyArray<string>) =>
  assert.deepStrictEqual(
    names.filter((name) => !isSetting(name)),
    []
  )

/** Of Node. */
const ofTheProcess = new Set(["NODE_ENV"])

/** The instructions of a Dockerfile, with continuation lines joined. */
const instructions = (text: string): ReadonlyArray<readonly [string, string]> =>
  text
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1).trim()])

describe("the Dockerfile", () => {
  it("is for an account without rights, names versions, and starts the program itself (P269)", async () => {
    const all = instructions(await read("Dockerfile"))
    const last = (name: string) => all.findLast(([one]) => one === name)?.[1] ?? ""
    for (const [name, rest] of all) {
      assert.include(
        ["FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"],
        name
      )
      if (name === "FROM") assert.match(rest, /^node:\d+\.\d+-slim( AS \w+)?$/)
    }
    assert.strictEqual(last("USER"), "node")
    // The exec form, without a shell, so that signals reach the server.
    assert.deepStrictEqual(JSON.parse(last("ENTRYPOINT")), ["/app/node_modules/.bin/limbeck"])
    assert.deepStrictEqual(JSON.parse(last("CMD")), ["serve"])
    const named = last("ENV")
      .split(/\s+/)
      .map((pair) => pair.split("=")[0] ?? "")
    assertSettings(named.filter((name) => !ofTheProcess.has(name)))
    const { bin } = JSON.parse(await fs.readFile(new URL("packages/entry/package.json", root), "utf8"))
    assert.property(bin, "limbeck")
    const { scripts } = JSON.parse(await fs.readFile(new URL("package.json", root), "utf8"))
    assert.containsAllKeys(scripts, ["build", "pack"])
    assert.include(await read("Dockerfile.dockerignore"), "**/.env\n")
  })
})

describe("the compose file", () => {
  it("gives the server a Postgres that answers, a root that is read only, and time to stop (P269)", async () => {
    const [{ services, volumes }] = await documents("compose.yaml")
    const { limbeck, postgres } = services
    assertSettings(Object.keys(limbeck.environment))
    assert.strictEqual(new URL(limbeck.environment.DATABASE_URL.replace(/\$\{.*?\}/, "x")).hostname, "postgres")
    assert.deepStrictEqual(limbeck.depends_on, { postgres: { condition: "service_healthy" } })
    assert.isTrue(limbeck.read_only)
    assert.isAbove(Number.parseInt(limbeck.stop_grace_period, 10), stopSeconds)
    assert.match(postgres.image, /^postgres:\d+\.\d+$/)
    assert.isNotEmpty(postgres.healthcheck.test)
    const mounted = [...limbeck.volumes, ...postgres.volumes].map((mount: string) => mount.split(":")[0])
    assert.sameMembers(mounted, Object.keys(volumes))
    await fs.access(new URL(limbeck.build.dockerfile, root))
  })
})

describe("the unit of systemd", () => {
  it("starts the server as an account of its own, and gives it time to stop (P269)", async () => {
    const lines = (await read("limbeck.service")).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    for (const line of lines) assert.match(line, /^(\[(Unit|Service|Install)\]|[A-Za-z]+=.+)$/)
    const value = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))
    assert.deepStrictEqual(value("DynamicUser"), ["yes"])
    assert.deepStrictEqual(value("ProtectSystem"), ["strict"])
    assert.match(value("ExecStart").join(), /\/limbeck serve$/)
    assert.isAbove(Number(value("TimeoutStopSec").join()), stopSeconds)
    // A wrong setting is not mended by another start.
    assert.deepStrictEqual(value("RestartPreventExitStatus"), ["2"])
    const named = value("Environment").flatMap((line) => line.split(" ").map((pair) => pair.split("=")[0] ?? ""))
    assertSettings(named.filter((name) => !ofTheProcess.has(name)))
  })
})

describe("the manifests of Kubernetes", () => {
  it("run two replicas with probes, a drain, and no rights (P269)", async () => {
    const [set, service, budget] = await documents("kubernetes.yaml")
    assert.deepStrictEqual([set.kind, service.kind, budget.kind], ["StatefulSet", "Service", "PodDisruptionBudget"])
    const { spec } = set
    const pod = spec.template.spec
    const [container] = pod.containers
    assert.strictEqual(spec.replicas, 2)
    const labels = spec.template.metadata.labels
    assert.deepStrictEqual(
      [spec.selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels],
      [labels, labels, labels]
    )
    assert.isBelow(budget.spec.minAvailable, spec.replicas)
    assert.isAtLeast(pod.terminationGracePeriodSeconds, container.lifecycle.preStop.sleep.seconds + stopSeconds)
    assert.strictEqual(container.readinessProbe.httpGet.path, "/healthz")
    // The probe of storage within the server takes a second.
    assert.isAbove(container.readinessProbe.timeoutSeconds, 1)
    assertSettings(container.env.map(({ name }: { readonly name: string }) => name))
    assert.isTrue(pod.securityContext.runAsNonRoot)
    assert.isTrue(container.securityContext.readOnlyRootFilesystem)
    const ports = container.ports.map(({ name }: { readonly name: string }) => name)
    assert.includeMembers(ports, [service.spec.ports[0].targetPort, container.readinessProbe.httpGet.port])
    const volumes = [
      ...pod.volumes.map(({ name }: Tree) => name),
      ...spec.volumeClaimTemplates.map(({ metadata }: Tree) => metadata.name)
    ]
    assert.sameMembers(
      container.volumeMounts.map(({ name }: Tree) => name),
      volumes
    )
  })
})

/** A call whose upstream refuses the connection. */
const call = async (origin: string, token: string): Promise<void> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const post = async (path: string, body: object) =>
    (await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) })).text()
  await post("/v1/sources", { name: "away", kind: "byok", base_url: "http://127.0.0.1:2/v1", default: true })
  await post("/v1/proxy/chat/completions", { model: "m", messages: [{ role: "user", content: "Hello" }] })
}

/** The page of metrics of a server after a call, once the call is stored. */
const pageOf = async (): Promise<string> => {
  const main = await Programs.made(new URL("packages/cli/src/main.ts", root))
  const token = `svc_test_${"1".repeat(32)}`
  const server = spawn(process.execPath, ["--conditions=@limbeck/source", main, "serve"], {
    env: {
      PATH: process.env["PATH"],
      STORAGE: "memory",
      PORT: "0",
      EGRESS_ALLOW: "127.0.0.0/8",
      BOOTSTRAP_TEST_TOKEN: token
    },
    stdio: ["ignore", "pipe", "ignore"]
  })
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const [, origin] = /^Limbeck listens on (http\S+)$/.exec(line) ?? []
      if (origin === undefined) continue
      await call(origin, token)
      let page = ""
      await eventually("the call is counted", async () => {
        page = await (await fetch(`${origin}/metrics`)).text()
        return page.includes("limbeck_calls_total{")
      })
      return page
    }
    throw new Error("The server ended")
  } finally {
    server.kill("SIGKILL")
    await once(server, "close")
  }
}

/** Names of samples; a histogram has several. */
const samplesOf = (page: string): ReadonlySet<string> =>
  new Set(page.split("\n").flatMap((sample) => /^[a-z_]+/.exec(sample)?.[0] ?? []))

/** Rules of `promtool check metrics` on names, types and help of families. */
const problemsOf = (page: string): ReadonlyArray<string> => {
  const families = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  assert.isAtLeast(families.length, 12)
  return families.flatMap(([, name = "", type = ""]) => [
    ...(/^[a-z][a-z0-9_]*$/.test(name) ? [] : [`${name} is not in snake_case`]),
    ...(page.includes(`# HELP ${name} `) ? [] : [`${name} has no help text`]),
    ...((type === "counter") === name.endsWith("_total") ? [] : [`${name} is a ${type}`]),
    ...(/_(?:count|sum|bucket|info)$/.test(name) ? [`${name} has a reserved suffix`] : []),
    ...(/_(?:ms|millis|milliseconds|minutes|hours|kb|kib|percent)(?:_|$)/.test(name)
      ? [`${name} has no base unit`]
      : []),
    ...(/(?:^|_)(?:counter|gauge|histogram|summary)(?:_|$)/.test(name) ? [`${name} contains its type`] : [])
  ])
}

const notNames =
  /^(?:sum|rate|increase|by|le|min|max|histogram_quantile|status|e6|source|model|served_by|direction|outcome|alias|mode|kind)$/
const namesIn = (expression: string): ReadonlyArray<string> =>
  (expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, "").match(/[a-z_]+[a-z0-9_]*/g) ?? []).filter(
    (name) => !notNames.test(name)
  )

describe("the alerts and the dashboard", () => {
  it("ask for metrics that there are, with names, types and units as Prometheus wants them (P269, P1668)", async () => {
    const [{ groups }] = await documents("alerts.yaml")
    const { panels } = JSON.parse(await read("grafana.json"))
    const expressions: ReadonlyArray<string> = [
      ...groups.flatMap(({ rules }: Tree) => rules.map(({ expr }: Tree) => expr)),
      ...panels.flatMap(({ targets }: Tree) => targets.map(({ expr }: Tree) => expr))
    ]
    assert.isAtLeast(expressions.length, 15)
    const page = await pageOf()
    assert.deepStrictEqual(problemsOf(page), [])
    const metrics = samplesOf(page)
    for (const expression of expressions) {
      const names = namesIn(expression)
      assert.isNotEmpty(names, expression)
      for (const name of names) assert.isTrue(metrics.has(name), `${name} in ${expression}`)
    }
  })
})
