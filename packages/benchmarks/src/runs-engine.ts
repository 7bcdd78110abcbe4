/** The server's services on a Postgres, in a process of its own: it creates runs, and drives them. Started by `Child`. */
// As the program does, before all else.
import "@limbeck/node/Pretenuring"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import * as RunScheduler from "@limbeck/distill/run/RunScheduler"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Executors from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { report } from "./Child.ts"

export type Command =
  /** Creates dry runs of five stages. */
  | { readonly kind: "create"; readonly runs: number }
  /** Drives runs from now on. */
  | { readonly kind: "work" }

const [databaseUrl = ""] = process.argv.slice(2)
const partition = Partition.make("ws_00000000000000000000000001", true)

const version = Plans.version()
const asked = Plans.request(version.id, { recipeAsSent: Plans.recipe(["sft", "grpo", "eval", "publish"]) })

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
