/** Small training sets for the tests, and the shortest ways through a training. */

import * as Model from "@limbeck/executors/builtin/Model"
import { defaults, type Settings } from "@limbeck/executors/builtin/Settings"
import { type Ticket, tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Checkpoint from "../../src/builtin/internal/Checkpoint.ts"
import { sha256, Unreadable } from "../../src/builtin/internal/Container.ts"
import * as Examples from "../../src/builtin/internal/Examples.ts"
import * as TrainingSet from "../../src/builtin/internal/TrainingSet.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"

export const exampleOf = ({ completion, messages }: Ticket): Examples.Example => ({
  turns: messages.map(({ content, role }) => ({ role, text: content })),
  label: completion
})

export const examples = (rows: number, seed = 1): ReadonlyArray<Examples.Example> =>
  tickets({ rows, seed }).map(exampleOf)

export const settings = (over: Partial<Settings> = {}): Settings => ({ ...defaults, bits: 14, epochs: 3, ...over })

export const said = (text: string, label: string | null = "yes"): Examples.Example => ({
  turns: [{ role: "user", text }],
  label
})

export const attempt = (from: Iterable<Examples.Example>, given: Settings) => {
  const collector = Examples.collector(given)
  for (const example of from) collector.add(example)
  return TrainingSet.make(collector.close(), given)
}

export const setOf = (from: Iterable<Examples.Example>, given: Settings): TrainingSet.TrainingSet => {
  const made = attempt(from, given)
  if (TrainingSet.isRefusal(made)) throw new Error(made.message)
  return made
}

/** Trains in steps of so many rows to the end. */
export const finish = (trainer: WeightTrainer.WeightTrainer, step = 16): WeightTrainer.WeightTrainer => {
  while (!trainer.isDone()) trainer.advance(step)
  return trainer
}

export const encoded = (set: TrainingSet.TrainingSet, given: Settings, trainer: WeightTrainer.WeightTrainer) =>
  Model.encode(set, given, trainer).bytes

export const digestOf = (set: TrainingSet.TrainingSet, given: Settings, trainer: WeightTrainer.WeightTrainer): string =>
  sha256(encoded(set, given, trainer))

/** As another process would go on: nothing but the checkpoint's bytes is handed over. */
export const resumed = (
  set: TrainingSet.TrainingSet,
  given: Settings,
  trainer: WeightTrainer.WeightTrainer
): WeightTrainer.WeightTrainer => {
  const state = Checkpoint.decode(set, Checkpoint.encode(set, trainer.state))
  if (state instanceof Unreadable) throw new Error(state.reason)
  return WeightTrainer.make(set, given, state)
}

export const modelOf = (from: Iterable<Examples.Example>, given: Settings): Model.Model => {
  const set = setOf(from, given)
  const model = Model.load(encoded(set, given, finish(WeightTrainer.make(set, given))))
  if (model instanceof Unreadable) throw new Error(model.reason)
  return model
}
