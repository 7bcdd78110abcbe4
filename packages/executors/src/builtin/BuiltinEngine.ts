/** Runs the students that the builtin executor trained. */
import { type RunningStudent, StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Unreadable } from "./internal/Container.ts"
import * as OfferedTools from "./internal/OfferedTools.ts"
import * as Reading from "./internal/Reading.ts"
import * as Templates from "./internal/Templates.ts"
import * as Model from "./Model.ts"
import { turnsOf } from "./RowReading.ts"
import * as Tables from "./tables/Tables.ts"

/** Computes the distribution on demand, because a student may have many labels. */
const predictionOf = (prediction: Templates.AddressedPrediction) => ({
  text: prediction.text,
  confidence: prediction.confidence,
  isNew: prediction.isNew,
  isUnknownTemplate: prediction.isUnknownTemplate,
  get distribution() {
    return prediction.distribution.map(({ probability }) => probability)
  }
})

const embeddingsOf = (about: Model.About): Pick<RunningStudent, "embeddings"> => {
  const { charactersMax, dimensions = 0, embeddings, template = Reading.nothing, templates = [] } = about
  if (embeddings === undefined) return {}
  const textOf = Templates.embedding({ charactersMax, template, templates })
  return { embeddings: { ...embeddings, dimensions, textOf: (prompt) => textOf(turnsOf(prompt)) } }
}

/** `tables`: where static embeddings are found. */
export const layerWith = (tables: Tables.Tables): Layer.Layer<StudentEngine> =>
  Layer.succeed(StudentEngine, {
    load: (format, bytes) => {
      if (!Model.formats.includes(format)) return Result.fail(`its artifact is a ${format}, not a ${Model.format}`)
      const model = Model.load(bytes, tables)
      if (model instanceof Unreadable) return Result.fail(model.reason)
      const { fields, free, labels, questions, tools } = model.about
      const addressed = Templates.addressing(model)
      const predict: RunningStudent["predict"] = (prompt, embedding) =>
        predictionOf(addressed.predict(turnsOf(prompt), embedding))
      const running = { predict, ...embeddingsOf(model.about) }
      if (questions !== undefined) return Result.succeed({ ...running, questions })
      return Result.succeed({
        ...running,
        ...(free === undefined ? {} : { free }),
        ...(fields === undefined && free === undefined ? { labels } : {}),
        ...(tools === undefined ? {} : { knowsTools: (offered) => tools.includes(OfferedTools.idOf(offered) ?? "") })
      })
    }
  })

/** Without static embeddings. */
export const layer: Layer.Layer<StudentEngine> = layerWith(Tables.none)
