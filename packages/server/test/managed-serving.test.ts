/** Students that this server serves by processes of its own (contract 15.18). */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { type Executor, Progress } from "@limbeck/distill/run/Executor"
import * as CommandServers from "@limbeck/executors/serving/CommandServers"
import { ServingLimits } from "@limbeck/serving/Limits"
import { eventually } from "@limbeck/testing/Eventually"
import { type ArchiveEntry, badArchives, gzipped, tarOf } from "@limbeck/testing/fixtures/Archives"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import {
  announce,
  createRun,
  endedRun,
  freshKey,
  linesOf,
  row,
  sendContent,
  settledUpload,
  ticketsVersion,
  until,
  uploadOf
} from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import OpenAI from "openai"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onEachStorage } from "./support/House.ts"
import { wholeList } from "./support/LiveRuns.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { answered, asked, call, fallbackTo, saidIn, serving } from "./support/Serving.ts"

type Student = typeof StudentModel.Type

const students = "/v1/distill/student_models"

interface Asked {
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

const program = fileURLToPath(new URL("../../executors/test/serving/student-server.mjs", import.meta.url))

const upstream = new Models()
let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "limbeck-served-"))
  await mkdir(path.join(folder, "models", "tiny"), { recursive: true })
  await writeFile(path.join(folder, "models", "tiny", "words.txt"), "I am the base")
  await upstream.open()
})
afterAll(async () => {
  upstream.close()
  await rm(folder, { recursive: true, force: true })
})

/** Publishes a file that says how the run's student is named. */
const publishing: Executor = {
  name: "publishing",
  execute: ({ blobs, run, stage }) =>
    Stream.fromEffect(
      stage.kind === "publish"
        ? Effect.map(
            blobs.put(Stream.make(new TextEncoder().encode(`I am ${run.studentModelName}`))),
            ({ bytes, sha256 }) =>
              Progress.Finished({ outcome: "succeeded", result: { artifact: { sha256, bytes, format: "file" } } })
          )
        : Effect.succeed(Progress.Finished({ outcome: "succeeded", result: {} }))
    )
}

interface Started {
  readonly pid: number
  readonly words: string
  readonly isTold: boolean
  readonly names: ReadonlyArray<string>
}

const readDiary = (): string => {
  const file = path.join(folder, "diary")
  return existsSync(file) ? readFileSync(file, "utf8") : ""
}

/** Everybody who was started, oldest first. */
const diary = (): ReadonlyArray<Started> => {
  return readDiary()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

const startsOf = (name: string) => diary().filter(({ words }) => words === `I am ${name}`)

/** One that is dead may not be collected yet. */
const isAlive = ({ pid }: Started): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

const gone = (name: string) =>
  eventually(`${name} is not served any more`, async () => (startsOf(name).some(isAlive) ? undefined : true))

const filesOf = (student: string) => path.join(folder, "served", student)

/** The folder is made before any test, and after this module is read. */
const commanded = (behavior: string, model = "{artifact}") =>
  Layer.unwrap(
    Effect.sync(() =>
      CommandServers.layer({
        command: `"${process.execPath}" "${program}" ${model} {port} "${folder}/diary" ${behavior}`,
        environment: { PATH: process.env["PATH"] ?? "", MODELS_DIR: "/models" },
        folder: path.join(folder, "served"),
        modelsDir: path.join(folder, "models")
      })
    )
  )

const options = { ...serving, llm: publishing, egressAllow: [] }

/** What a trainer elsewhere has packed. */
const said = (words: string) => [
  { path: "./", type: "5" },
  { path: "./model/", type: "5" },
  { path: "./model/words.txt", content: words }
]

/** What makes an archive an adapter. */
const adapter = [{ path: "adapter_config.json", content: "{}" }]

/** Sent with its digest, and read. */
const uploadedStudent = async (live: Client, content: Uint8Array<ArrayBuffer>) => {
  const sha256 = createHash("sha256").update(content).digest("hex")
  const bytes = content.length
  const upload = await announce(live, { filename: "student.tar", format: "student_model", sha256, bytes })
  expectStatus(await sendContent(live, upload, content), 202)
  return { upload: upload.id, sha256, bytes, sent: await settledUpload(live, upload.id) }
}

const evaluationOf = (version: string, student: string) => ({
  dataset_version: version,
  recipe: { student_model: student, stages: [{ kind: "eval", config: {} }], rewards: [] },
  budget: { max_cost_usd: 1 },
  dry_run: false
})

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live, liveToken } = workspace
  const { id: version } = await ticketsVersion(live)
  const named = `${workspace.id}-`
  const studentOf = (name: string) =>
    Deployments.studentOf(live, Deployments.llm, version, { student_model_name: named + name })
  const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  return { workspace, live, named, studentOf, openai, version }
}

onEachStorage(
  "a student that this server serves",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("is started for its deployment, and answers the stock client, in streams and with tools (P310)", async () => {
      const { live, named, openai, studentOf } = await story()
      const deployment = await Deployments.deployed(live, {
        alias: "first",
        student_model: await studentOf("first"),
        mode: "active"
      })
      assert.deepInclude(deployment, { status: "ready", managed: true, endpoint: null })
      const model = "svc:first"
      const messages = [{ role: "user" as const, content: "Who are you?" }]
      const { data, response } = await openai.chat.completions.create({ model, messages }).withResponse()
      assert.strictEqual(data.choices[0]?.message.content, `I am ${named}first`)
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      assertHas(await callOf(live, response.headers), { served_by: "student" })
      const stream = await openai.chat.completions.stream({ model, messages }).finalContent()
      assert.strictEqual(stream, `I am ${named}first`)
      const tools = [{ type: "function" as const, function: { name: "look_up", parameters: { type: "object" } } }]
      const called = await openai.chat.completions.create({ model, messages, tools })
      const [toolCall] = called.choices[0]?.message.tool_calls ?? []
      assert.deepInclude(toolCall, { type: "function" })
      assert.include(JSON.stringify(toolCall), "look_up")
      const [started, ...others] = startsOf(`${named}first`)
      assert.isEmpty(others)
      assert.isTrue(started?.isTold)
    })

    it("has an environment of what it is told and what holds no secret (P311)", async () => {
      const { named } = await story()
      const told = ["LIMBECK_ARTIFACT_DIR", "LIMBECK_PORT", "LIMBECK_HOST", "LIMBECK_MODEL", "MODELS_DIR", "PATH"]
      // What a shell adds.
      const usual = [...told, "PWD", "OLDPWD", "SHLVL", "_"]
      const { names = [] } = startsOf(`${named}first`)[0] ?? {}
      assert.includeMembers([...names], told)
      assert.includeMembers(usual, [...names])
    })

    it("is one process for all its aliases, and goes with its files when the last of them is retired (P311, P379)", async () => {
      const { live, named, studentOf, workspace } = await story()
      const student_model = await studentOf("shared")
      const ids = []
      for (const alias of ["shared.1", "shared.2"]) {
        const { id, status } = await Deployments.deployed(live, { alias, student_model, mode: "active" })
        assert.strictEqual(status, "ready")
        ids.push(id)
        const said = saidIn(await answered(await call(house, workspace, asked(alias))))
        assert.strictEqual(said, `I am ${named}shared`)
      }
      assert.lengthOf(startsOf(`${named}shared`), 1)
      expectStatus(await live.post(`${Deployments.path}/${ids[0]}/retire`, {}), 200)
      assert.isTrue(existsSync(filesOf(student_model)))
      const last = await answered(await call(house, workspace, asked("shared.2")))
      assert.strictEqual(saidIn(last), `I am ${named}shared`)
      expectStatus(await live.post(`${Deployments.path}/${ids[1]}/retire`, {}), 200)
      await gone(`${named}shared`)
      assert.lengthOf(startsOf(`${named}shared`), 1)
      await eventually("its files are gone", async () => (existsSync(filesOf(student_model)) ? undefined : true))
    })

    it("answers before the alias moves to it, and the one before is stopped (P313)", async () => {
      const { live, named, studentOf, workspace } = await story()
      const alias = "moved"
      const { id } = await Deployments.deployed(live, {
        alias,
        student_model: await studentOf("before"),
        mode: "active"
      })
      const next = await studentOf("after")
      const moved = await live.patch<Deployments.Shown>(`${Deployments.path}/${id}`, { student_model: next })
      assert.deepInclude(expectStatus(moved, 200), { status: "ready", student_model: next, managed: true })
      // Nobody waits for a start: it has no fallback, and answers the first call.
      const said = saidIn(await answered(await call(house, workspace, asked(alias))))
      assert.strictEqual(said, `I am ${named}after`)
      await gone(`${named}before`)
      const back = await live.post<Deployments.Shown>(`${Deployments.path}/${id}/rollback`, {})
      assert.deepInclude(expectStatus(back, 200), { status: "ready", managed: true })
      assert.strictEqual(saidIn(await answered(await call(house, workspace, asked(alias)))), `I am ${named}before`)
    })

    it("that was trained elsewhere is uploaded with its digest, evaluated as it is served, and deployed (P376)", async () => {
      const { live, openai, version } = await story()
      const { bytes, sent, sha256, upload } = await uploadedStudent(live, gzipped(tarOf(said("label1"))))
      assert.deepInclude(sent, { status: "succeeded", format: "student_model", rows: null, error_count: 0 })
      const headers = freshKey()
      const body = { name: "tuned", base_model: "tiny", artifact: { upload, sha256 } }
      const made = expectStatus(await live.post<Student>(students, body, headers), 201)
      assert.deepInclude(made, { origin: "external", executor: "external", endpoint: null, accuracy: null })
      assert.deepStrictEqual(made.artifact, { sha256, bytes, format: "tar.gz" })
      assert.deepStrictEqual((await live.post<Student>(students, body, headers)).body, made)

      const run = await endedRun(live, expectStatus(await createRun(live, evaluationOf(version, made.id)), 201).id)
      assert.deepInclude(run, { status: "succeeded", executor: "endpoint", student_model: made.id })
      const holdout = await wholeList<Asked>(live, `/v1/distill/dataset_versions/${version}/rows?split=holdout`)
      const agreed = holdout.filter(({ messages }) => messages.at(-1)?.content.endsWith("1")).length
      const evaluated = expectStatus(await live.get<Student>(`${students}/${made.id}`), 200)
      assert.deepInclude(evaluated, { report: run.report, accuracy: agreed / holdout.length })
      await eventually("it is not served after its evaluation", async () =>
        diary().some((one) => one.words === "label1" && isAlive(one)) ? undefined : true
      )

      const deployment = { alias: "uploaded", student_model: made.id, mode: "active" }
      assert.deepInclude(await Deployments.deployed(live, deployment), { status: "ready", managed: true })
      const messages = [{ role: "user" as const, content: "ticket 900 about 1" }]
      const answer = await openai.chat.completions.create({ model: "svc:uploaded", messages })
      assert.strictEqual(answer.choices[0]?.message.content, "label1")
    })

    it("that was uploaded is no student where its archive is bad, and the refusal names the field (P377)", async () => {
      const { live } = await story()
      const register = (fields: object) => live.post(students, { name: "tuned", base_model: "tiny", ...fields })
      for (const [fault, bytes] of badArchives) {
        const { sent, sha256, upload } = await uploadedStudent(live, bytes)
        assert.deepInclude(sent, { status: "failed", error_count: 1 })
        assert.match(sent.errors[0]?.message ?? "", fault)
        const refused = await register({ artifact: { upload, sha256 } })
        assertRefused(refused, 400, "invalid_request_error", "artifact.upload")
        assert.match(JSON.stringify(refused.body), fault)
      }
      const { sha256, upload } = await uploadedStudent(live, tarOf(said("x")))
      const rows = await uploadOf(live, linesOf([row(1)]))
      const waiting = await announce(live, { format: "student_model" })
      const endpoint = { base_url: "https://students.example/v1", model: "ft:1" }
      const dataset = expectStatus(await live.post<{ id: string }>("/v1/distill/datasets", { name: "none" }), 201)
      const versionOf = await live.post(`/v1/distill/datasets/${dataset.id}/versions`, { from: { upload } })
      assertRefused(versionOf, 400, "invalid_request_error", "from.upload")
      const wrong = [
        [{ artifact: { upload } }, 400, "invalid_request_error", "artifact.sha256"],
        [{ artifact: { upload, sha256: "0".repeat(64) } }, 400, "invalid_request_error", "artifact.sha256"],
        [{ artifact: { upload, sha256 }, endpoint }, 400, "invalid_request_error", "artifact"],
        [{ artifact: { upload: rows.id, sha256 } }, 400, "invalid_request_error", "artifact.upload"],
        [{ artifact: { upload: waiting.id, sha256 } }, 409, "conflict_error", "artifact.upload"],
        [{ artifact: { upload: `upl_${"0".repeat(26)}`, sha256 } }, 404, "not_found_error", "artifact.upload"]
      ] as const
      for (const [fields, status, code, param] of wrong) assertRefused(await register(fields), status, code, param)
      const other = await announce(live, { format: "student_model", sha256: "0".repeat(64) })
      const { status } = await sendContent(live, other, tarOf(said("x")))
      assert.strictEqual(status, 202)
      assert.strictEqual((await settledUpload(live, other.id)).status, "failed")
    })

    it("gives way to an endpoint that others run, and comes back", async () => {
      const { live, named, studentOf, workspace } = await story()
      const alias = "elsewhere"
      const { id } = await Deployments.deployed(live, { alias, student_model: await studentOf("home"), mode: "active" })
      const endpoint = { base_url: "https://students.example/v1", model: "student-1" }
      const away = expectStatus(await live.patch<Deployments.Shown>(`${Deployments.path}/${id}`, { endpoint }), 200)
      assert.deepInclude(away, { managed: false, endpoint: { ...endpoint, api_key_last4: null } })
      await gone(`${named}home`)
      const here = await live.patch<Deployments.Shown>(`${Deployments.path}/${id}`, { endpoint: null })
      assert.deepInclude(expectStatus(here, 200), { managed: true, endpoint: null })
      assert.strictEqual(saidIn(await answered(await call(house, workspace, asked(alias)))), `I am ${named}home`)
    })
  },
  { ...options, servers: commanded("") }
)

onEachStorage(
  "a student that this server serves beside a fallback",
  (house) => {
    it("that is killed under load fails no request, and is started again (P312)", async () => {
      const { live, named, studentOf, workspace } = await begin(house)
      const fallback = await fallbackTo(live, upstream.speaking("from above"))
      const student_model = await studentOf("killed")
      await Deployments.deployed(live, { alias: "killed", student_model, mode: "active", fallback })
      const answers: Array<Awaited<ReturnType<typeof answered>>> = []
      let isOver = false
      const client = async () => {
        while (!isOver) answers.push(await answered(await call(house, workspace, asked("killed"))))
      }
      const load = Promise.all(Array.from({ length: 4 }, client))
      const servedBy = (who: string, since: number) =>
        eventually(`${who} answers`, async () =>
          answers.slice(since).some((answer) => answer.servedBy === who) ? true : undefined
        )
      await servedBy("student", 0)
      const [first] = startsOf(`${named}killed`)
      assert.isDefined(first)
      process.kill(first.pid, "SIGKILL")
      await servedBy("upstream_fallback", answers.length)
      await eventually("it is started again", async () => (startsOf(`${named}killed`).length === 2 ? true : undefined))
      await servedBy("student", answers.length)
      isOver = true
      await load
      assert.deepStrictEqual(
        answers.filter(({ status }) => status !== 200),
        []
      )
      assert.lengthOf(startsOf(`${named}killed`), 2)
    })

    it("listens in shadow, answers on that evidence, gives way to the fallback when it disagrees, and comes back (P384)", async () => {
      const { live, named, studentOf, workspace } = await begin(house)
      let isSame = true
      const above = upstream.speaking(({ messages }) => (isSame ? (messages.at(-1)?.content ?? "") : "something else"))
      const fallback = await fallbackTo(live, above)
      const alias = "guarded"
      const guard = { min_agreement: 0.5, verify_percent: 100 }
      const body = { alias, student_model: await studentOf("guarded"), mode: "shadow", fallback, guard }
      const { id, managed } = await Deployments.deployed(live, body)
      assert.isTrue(managed)
      const shown = (so: (deployment: Deployments.ShownWhole) => boolean) =>
        until(() => live.get<Deployments.ShownWhole>(`${Deployments.path}/${id}`), so)
      const activate = () => live.patch<Deployments.Shown>(`${Deployments.path}/${id}`, { mode: "active" })
      const ask = async (times: number) => {
        const servedBy = new Set<string | null>()
        for (let nth = 0; nth < times; nth++) {
          const { servedBy: who } = await answered(await call(house, workspace, asked(alias, `ticket ${nth}`)))
          servedBy.add(who)
        }
        return servedBy
      }
      assertRefused(await activate(), 409, "conflict_error", "guard")
      assert.deepStrictEqual(await ask(ServingLimits.guardShadowMin), new Set(["shadow"]))
      await shown(({ agreement }) => (agreement?.comparisons ?? 0) >= ServingLimits.guardShadowMin)
      assert.deepInclude(expectStatus(await activate(), 200), { mode: "active", managed: true })
      assert.deepStrictEqual(await ask(1), new Set(["student"]))

      isSame = false
      await ask(30)
      const { guard: guarded } = await shown(({ guarded_at }) => guarded_at !== null)
      assert.isBelow(guarded?.breach?.value ?? 1, 0.5)
      assert.deepStrictEqual(await ask(3), new Set(["upstream_fallback"]))
      // It is not asked, and is not stopped either.
      assert.isTrue(startsOf(`${named}guarded`).every(isAlive))
      assert.deepInclude(expectStatus(await activate(), 200), { guarded_at: null })
      assert.deepStrictEqual(await ask(3), new Set(["student"]))
      assert.lengthOf(startsOf(`${named}guarded`), 1)
    })
  },
  { ...serving, llm: publishing, servers: commanded("echo") }
)

onEachStorage(
  "adapters of one base model",
  (house) => {
    it("are served by one process, each under its own name, and loaded again when that was killed (P385)", async () => {
      const { live, named, workspace } = await begin(house)
      const deployed = async (alias: string, base_model = "tiny", more: ReadonlyArray<ArchiveEntry> = adapter) => {
        const content = tarOf([...more, { path: "words.txt", content: `I am ${named}${alias}` }])
        const { sha256, upload } = await uploadedStudent(live, content)
        const body = { name: alias, base_model, artifact: { upload, sha256 } }
        const { id: student_model } = expectStatus(await live.post<Student>(students, body), 201)
        return Deployments.deployed(live, { alias, student_model, mode: "active" })
      }
      const says = async (alias: string) => saidIn(await answered(await call(house, workspace, asked(alias))))
      const bases = () => startsOf("the base").filter(isAlive)
      const one = await deployed("one")
      const two = await deployed("two")
      assert.deepStrictEqual([one.status, two.status], ["ready", "ready"])
      for (const alias of ["one", "two"]) assert.strictEqual(await says(alias), `I am ${named}${alias}`)
      const [base, ...others] = bases()
      assert.isEmpty(others)
      assert.isDefined(base)

      process.kill(base.pid, "SIGKILL")
      await eventually("it is started again", async () => bases().find(({ pid }) => pid !== base.pid))
      for (const alias of ["two", "one"]) assert.strictEqual(await says(alias), `I am ${named}${alias}`)
      assert.lengthOf(bases(), 1)
      expectStatus(await live.post(`${Deployments.path}/${one.id}/retire`, {}), 200)
      const { student_model } = one
      await eventually("the first is let go of", async () =>
        readDiary().includes(`"unload","model":"${student_model}"}\n`) && !existsSync(filesOf(student_model))
          ? true
          : undefined
      )
      assert.strictEqual(await says("two"), `I am ${named}two`)

      // One that is whole has a process of its own, and one whose base is not there has none.
      assert.strictEqual((await deployed("whole", "tiny", [])).status, "ready")
      assert.lengthOf(startsOf(`${named}whole`), 1)
      for (const base of ["absent", "../served", "--help"]) {
        const { error, id, status } = await deployed("lost", base)
        assert.deepInclude({ status, code: error?.code }, { status: "failed", code: "student_not_served" })
        assert.include(error?.message, "MODELS_DIR")
        expectStatus(await live.post(`${Deployments.path}/${id}/retire`, {}), 200)
      }
      expectStatus(await live.post(`${Deployments.path}/${two.id}/retire`, {}), 200)
      await eventually("the base is not served any more", async () => (bases().length === 0 ? true : undefined))
    })
  },
  { ...options, servers: commanded("adapters", "{base}") }
)

onEachStorage(
  "a student whose server dies",
  (house) => {
    it("fails its deployment with the exit code, and nothing is left running (P313)", async () => {
      const { live, named, studentOf } = await begin(house)
      const student_model = await studentOf("dies")
      const deployment = await Deployments.deployed(live, { alias: "dies", student_model, mode: "active" })
      assert.strictEqual(deployment.status, "failed")
      assert.strictEqual(deployment.error?.code, "student_not_served")
      assert.include(deployment.error?.message, "exit code 3")
      assert.notInclude(deployment.error?.message, folder)
      await gone(`${named}dies`)
    })
  },
  { ...options, servers: commanded("dies") }
)

onEachStorage(
  "where nothing serves students",
  (house) => {
    it("one with an artifact needs an endpoint, and the refusal says what to set up", async () => {
      const { live, studentOf } = await begin(house)
      const body = { alias: "homeless", student_model: await studentOf("homeless"), mode: "active" }
      const refused = await Deployments.post(live, body, freshKey())
      assertRefused(refused, 400, "invalid_request_error", "endpoint")
      assert.include(JSON.stringify(refused.body), "SERVING_COMMAND")
    })

    it("one that was uploaded cannot be evaluated, and the refusal says what to set up (P377)", async () => {
      const { live, version } = await begin(house)
      const { sha256, upload } = await uploadedStudent(live, tarOf(said("x")))
      const body = { name: "tuned", base_model: "tiny", artifact: { upload, sha256 } }
      const { id } = expectStatus(await live.post<Student>(students, body), 201)
      const refused = await createRun(live, evaluationOf(version, id))
      assertRefused(refused, 400, "invalid_request_error", "recipe.student_model")
      assert.include(JSON.stringify(refused.body), "SERVING_COMMAND")
    })
  },
  options
)
