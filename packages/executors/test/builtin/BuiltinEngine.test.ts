/** A trained student, decoded and asked like a serving one. */
import { assert, it } from "@effect/vitest"
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as BuiltinEngine from "@limbeck/executors/builtin/BuiltinEngine"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { encoded, examples, finish, setOf, settings } from "./Sets.ts"

const given = settings()
const set = setOf(examples(200), given)
const bytes = encoded(set, given, finish(WeightTrainer.make(set, given)))
const content = "please refund the 20 euros on my card"

const engine = <A>(use: (service: StudentEngine["Service"]) => A) =>
  Effect.provide(Effect.map(StudentEngine, use), BuiltinEngine.layer)

it.effect("says of a message what the model says of its text, whatever else the message holds", () =>
  engine(({ load }) => {
    const student = Result.getOrThrow(load(Model.format, bytes))
    const model = Model.load(bytes)
    if (!("predict" in model)) throw new Error(model.reason)
    const { confidence, text } = model.predict([{ role: "user", text: content }])
    const parts = [
      { type: "text", text: content },
      { type: "image_url", image_url: { url: "data:," } }
    ]
    for (const message of [
      { role: "user", content },
      { role: "user", content: parts, name: "ann" }
    ]) {
      assert.deepInclude(student.predict([message]), { text, confidence })
    }
  })
)

it.effect("refuses bytes that are no student of its own, and says why", () =>
  engine(({ load }) => {
    const refusals = [
      load("safetensors", bytes),
      load(Model.format, bytes.slice(0, -1)),
      load(
        Model.format,
        bytes.map((byte, at) => (at === 200 ? byte ^ 1 : byte))
      ),
      load(Model.format, new Uint8Array(0))
    ]
    for (const refusal of refusals) {
      assert.isTrue(Result.isFailure(refusal))
      assert.isNotEmpty(Result.getFailure(refusal))
    }
  })
)
