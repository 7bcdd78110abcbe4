/** Students served by processes of the test's server: trainers, serving commands, and started processes. */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { type Executor, Progress } from "@limbeck/distill/run/Executor"
import * as CommandServers from "@limbeck/executors/serving/CommandServers"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { announce, sendContent, settledUpload, ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import OpenAI from "openai"
import { type Client, expectStatus } from "./Client.ts"
import type { House } from "./House.ts"
import { serving } from "./Serving.ts"

const program = fileURLToPath(new URL("../../../executors/test/serving/student-server.mjs", import.meta.url))

/** Publishes a file that says how the run's student is named. */
export const publishing: Executor = {
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

export interface StudentProcess {
  readonly pid: number
  readonly port: number
  readonly words: string
  readonly isTold: boolean
  readonly names: ReadonlyArray<string>
}

/** A dead process may still be a zombie. */
export const isAlive = ({ pid }: StudentProcess): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** A folder with a base model and served students, and a diary of serving processes. */
export class ServedPlace {
  folder = ""

  async open(atEnd: AtEnd) {
    this.folder = await mkdtemp(path.join(tmpdir(), "limbeck-served-"))
    atEnd(() => rm(this.folder, { recursive: true, force: true }))
    await mkdir(path.join(this.folder, "models", "tiny"), { recursive: true })
    await writeFile(path.join(this.folder, "models", "tiny", "words.txt"), "I am the base")
  }

  readDiary(): string {
    const file = path.join(this.folder, "diary")
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }

  /** Everybody who was started, oldest first. */
  diary(): ReadonlyArray<StudentProcess> {
    return this.readDiary()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }

  startsOf(name: string) {
    return this.diary().filter(({ words }) => words === `I am ${name}`)
  }

  gone(name: string) {
    return eventually(`${name} is not served any more`, async () =>
      this.startsOf(name).some(isAlive) ? undefined : true
    )
  }

  filesOf(student: string): string {
    return path.join(this.folder, "served", student)
  }

  /** Our small server, which behaves in some way. */
  commanded(behavior: string, model = "{artifact}") {
    return this.serving(() => `"${process.execPath}" "${program}" ${model} {port} "${this.folder}/diary" ${behavior}`)
  }

  /** The folder is made before any test, and after this is called. */
  serving(command: () => string) {
    return Layer.unwrap(
      Effect.sync(() =>
        CommandServers.layer({
          command: command(),
          environment: { PATH: process.env["PATH"] ?? "", MODELS_DIR: "/models" },
          folder: path.join(this.folder, "served"),
          modelsDir: path.join(this.folder, "models")
        })
      )
    )
  }
}

export const options = { ...serving, llm: publishing, egressAllow: [] }

export const studentModels = "/v1/distill/student_models"

/** What a trainer elsewhere has packed. */
export const said = (words: string) => [
  { path: "./", type: "5" },
  { path: "./model/", type: "5" },
  { path: "./model/words.txt", content: words }
]

/** Sent with its digest, and read. */
export const uploadedStudent = async (live: Client, content: Uint8Array<ArrayBuffer>) => {
  const sha256 = createHash("sha256").update(content).digest("hex")
  const bytes = content.length
  const upload = await announce(live, { filename: "student.tar", format: "student_model", sha256, bytes })
  expectStatus(await sendContent(live, upload, content), 202)
  return { upload: upload.id, sha256, bytes, sent: await settledUpload(live, upload.id) }
}

export const evaluationOf = (version: string, student: string) => ({
  dataset_version: version,
  recipe: { student_model: student, stages: [{ kind: "eval", config: {} }], rewards: [] },
  budget: { max_cost_usd: 1 },
  dry_run: false
})

export const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live, liveToken } = workspace
  const { id: version } = await ticketsVersion(live)
  const named = `${workspace.id}-`
  const studentOf = (name: string) =>
    Deployments.studentOf(live, Deployments.llm, version, { student_model_name: named + name })
  const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  return { workspace, live, named, studentOf, openai, version }
}
