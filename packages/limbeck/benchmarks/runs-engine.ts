/** The server's services on a Postgres, in a process of its own: it creates runs, and drives them. Started by `Child`. */
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import * as Recipe from "@limbeck/distill/recipe/Recipe"
import * as RunScheduler from "@limbeck/distill/run/RunScheduler"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Executors from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Assembly from "../src/Assembly.ts"
import { report } from "./Child.ts"

export type Command =
  /** Creates so many dry runs of five stages. */
  | { readonly kind: "create"; readonly runs: number }
  /** Drives runs from now on. */
  | { readonly kind: "work" }

const [databaseUrl = ""] = process.argv.slice(2)
const partition = Partition.make("ws_00000000000000000000000001", true)

const version: DatasetVersion.DatasetVersion = {
  id: "dsv_00000000000000000000000001",
  dataset: "ds_00000000000000000000000001",
  status: "ready",
  source: { upload: "upl_00000000000000000000000001" },
  holdoutFraction: 0.1,
  dedupe: "exact",
  seed: 0,
  rows: 100,
  trainRows: 90,
  holdoutRows: 10,
  tokens: 4_000,
  contentSha256: "ab".repeat(32),
  dropped: { duplicates: 0, invalid: 0, redactions: 0 },
  profile: null,
  error: null,
  createdAt: 0,
  updatedAt: 0
}

const recipe = {
  student_model: "Qwen/Qwen3-0.6B",
  stages: ["sft", "grpo", "eval", "publish"].map((kind) => ({ kind, config: {} })),
  rewards: []
}

const asked = {
  name: "bench",
  studentModelName: null,
  datasetVersion: version.id,
  recipe: Schema.decodeUnknownSync(Recipe.Recipe)(recipe),
  recipeAsSent: recipe,
  maxCostUsd: 5,
  profile: "local",
  dryRun: true,
  validatedDryRun: null,
  planHash: null,
  loop: null
}

const services = Assembly.layer({
  storage: StoragePostgres.layer({ url: databaseUrl }),
  encryptionKeys: [Redacted.make(new Uint8Array(32))],
  executors: Executors.layer({ stub: StubExecutor.make({ pace: 0 }) }),
  workers: false
})
const runtime = ManagedRuntime.make(Layer.provideMerge(RunScheduler.layer, services))

const create = (runs: number) =>
  Effect.gen(function* () {
    yield* Effect.ignore((yield* ResourceStore).insert(partition, DatasetVersion.kind, version))
    const service = yield* Runs
    yield* Effect.replicateEffect(service.create(partition, asked), runs, { concurrency: 32, discard: true })
  })

const work = Effect.flatMap(RunScheduler.RunScheduler, ({ forever }) => Effect.forkDetach(forever))

const perform = async (command: Command): Promise<void> => {
  if (command.kind === "create") await runtime.runPromise(create(command.runs))
  else await runtime.runPromise(work)
}

report("runs", (command) =>
  // Only the benchmark sends commands, and it sends these.
  perform(command as Command)
)
