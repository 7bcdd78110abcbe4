/** Builtin students in memory: each is read once, however many callers ask at once, and shared. The least recently used makes room. */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as RowText from "@limbeck/distill/dataset/RowText"
import * as StudentEngine from "@limbeck/distill/student/StudentEngine"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { RequestEmbedding, RequestEmbeddings } from "./internal/RequestEmbeddings.ts"
import { type ChatMessage, type LoadedStudent, type Prediction, StudentUnreadable } from "./internal/Student.ts"
import { StudentFailed } from "./internal/StudentResponse.ts"

interface Entry {
  readonly student: LoadedStudent
  readonly bytes: number
}

const unreadable = (message: string) => new StudentUnreadable({ message })

/** The evaluation may have lowered the thresholds of the training. */
const questionsOf = (
  { questions = [] }: StudentEngine.RunningStudent,
  { questions: known = [] }: StudentModel.StudentModel
): LoadedStudent["questions"] => {
  const thresholds = new Map<string, number | null>(known.map(({ question, threshold }) => [question, threshold]))
  return questions.map((one) => ({ ...one, threshold: thresholds.get(one.question) ?? one.threshold }))
}

/** Turns a defect of a prediction into a failure of the student. */
const predictionOf = (
  student: StudentEngine.RunningStudent,
  messages: ReadonlyArray<ChatMessage>,
  embedding?: RequestEmbedding
): Effect.Effect<Prediction, StudentFailed> =>
  Effect.try({
    try: () => {
      const prediction = student.predict(messages, embedding?.vector)
      const { confidence, isNew = false, isUnknownTemplate = false, text } = prediction
      return {
        text,
        confidence,
        isNew,
        isUnknownTemplate,
        get distribution() {
          return prediction.distribution ?? []
        },
        inputTokens: messages.reduce((sum, message) => sum + RowText.tokensOf(message), 0),
        outputTokens: RowText.tokensOf({ role: "assistant", content: text }),
        ...(embedding === undefined ? {} : { costMicros: embedding.costMicros })
      }
    },
    catch: () => new StudentFailed({ reason: "failed", message: "cannot answer this" })
  })

type EmbedRequest = (
  of: StudentEngine.StudentEmbeddings,
  messages: ReadonlyArray<ChatMessage>
) => Effect.Effect<RequestEmbedding, StudentFailed>

const loadedOf = (
  student: StudentEngine.RunningStudent,
  model: StudentModel.StudentModel,
  embed: EmbedRequest
): LoadedStudent => ({
  labels: student.labels ?? null,
  free: student.free ?? [],
  questions: questionsOf(student, model),
  knowsTools: student.knowsTools ?? (() => false),
  predict: (messages) =>
    student.embeddings === undefined
      ? predictionOf(student, messages)
      : Effect.flatMap(embed(student.embeddings, messages), (embedding) => predictionOf(student, messages, embedding))
})

/** Ids hold no space. */
const keyOf = (partition: Partition.Partition, id: string): string => `${partition.key} ${id}`

/** `bytesMax`: of the artifacts with students in memory. `embeddings`: of requests to students that need them. */
export const make = Effect.fnUntraced(function* (bytesMax: number, embeddings: RequestEmbeddings) {
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const engine = yield* StudentEngine.StudentEngine
  /** The most recently used is last. A student model never changes, so no entry grows stale. */
  const kept = new Map<string, Entry>()
  let keptBytes = 0

  const drop = (key: string) => {
    keptBytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }

  const keep = (key: string, one: Entry) => {
    drop(key)
    for (const oldest of kept.keys()) {
      if (keptBytes + one.bytes <= bytesMax) break
      drop(oldest)
    }
    kept.set(key, one)
    keptBytes += one.bytes
  }

  const read = Effect.fnUntraced(function* (key: string) {
    const [partitionKey = "", id = ""] = key.split(" ")
    const partition = Partition.fromKey(partitionKey)
    const model = Option.getOrUndefined(yield* resources.find(partition, StudentModel.kind, id))?.value
    if (model?.artifact == null) return yield* unreadable("It has no artifact")
    const { bytes, format, sha256 } = model.artifact
    const content = joinPieces(yield* Stream.runCollect(blobs.get(partition, sha256)))
    if (content.length !== bytes) return yield* unreadable("Its artifact is gone")
    const loaded = engine.load(format, content)
    if (Result.isFailure(loaded)) return yield* unreadable(`Its artifact cannot be read: ${loaded.failure}`)
    const student = loadedOf(loaded.success, model, (of, messages) => embeddings(partition, of, messages))
    keep(key, { student, bytes })
    return student
  })

  /** Concurrent callers share a read, which is not cached here. */
  const reading = yield* Cache.makeWith(read, { capacity: 1_000, timeToLive: () => 0 })

  const load = (
    partition: Partition.Partition,
    id: string
  ): Effect.Effect<LoadedStudent, StudentUnreadable | StorageError> =>
    Effect.suspend(() => {
      const key = keyOf(partition, id)
      const found = kept.get(key)
      if (found === undefined) return Cache.get(reading, key)
      kept.delete(key)
      kept.set(key, found)
      return Effect.succeed(found.student)
    })

  return { load }
})
