/** Runs the students that the builtin executor trained. */
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Unreadable } from "./internal/Container.ts"
import * as Model from "./Model.ts"
import { turnsOf } from "./RowReading.ts"

export const layer: Layer.Layer<StudentEngine> = Layer.succeed(StudentEngine, {
  load: (format, bytes) => {
    if (!Model.formats.includes(format)) return Result.fail(`its artifact is a ${format}, not a ${Model.format}`)
    const model = Model.load(bytes)
    return model instanceof Unreadable
      ? Result.fail(model.reason)
      : Result.succeed({ predict: (prompt) => model.predict(turnsOf(prompt)) })
  }
})
