/** Requests embeddings of texts from a model of a source, in the form of OpenAI's API. */
import * as Effect from "effect/Effect"
import * as DialectRules from "../../dialect/DialectRules.ts"
import { CaptureLimits } from "../../Limits.ts"
import { isSuccess } from "../../upstream/Upstream.ts"
import type { EmbeddingQuestion, EmbeddingReply, SourceChatFailure, SourceModelEmbeddings } from "../SourceQuestion.ts"
import * as SourceExchange from "./SourceExchange.ts"

const { makeFailure } = SourceExchange

const endpoint = "embeddings"

/** Undefined for anything but a list of finite numbers within bounds. */
const vectorOf = (embedding: unknown): Float32Array<ArrayBuffer> | undefined => {
  if (!Array.isArray(embedding)) return undefined
  if (embedding.length === 0 || embedding.length > CaptureLimits.embeddingDimensionsMax) return undefined
  const vector = Float32Array.from(embedding, Number)
  return vector.every(Number.isFinite) ? vector : undefined
}

/** In the order of the texts; undefined without exactly one vector for each text, all of one length. */
const vectorsOf = (answer: unknown, count: number): EmbeddingReply["vectors"] | undefined => {
  const data: unknown = Object(answer).data
  if (!Array.isArray(data) || data.length !== count) return undefined
  const found = new Map<unknown, Float32Array<ArrayBuffer>>()
  for (const [at, item] of data.entries()) {
    const { embedding, index = at } = Object(item)
    const vector = vectorOf(embedding)
    if (vector !== undefined) found.set(index, vector)
  }
  const vectors = Array.from({ length: count }, (_, at) => found.get(at)).filter((vector) => vector !== undefined)
  const isWhole = vectors.length === count && vectors.every(({ length }) => length === vectors[0]?.length)
  return isWhole ? vectors : undefined
}

export const make = (exchange: SourceExchange.Exchange, asked: SourceExchange.AskedModel): SourceModelEmbeddings => {
  const { model, source } = asked
  const refusal = DialectRules.hasEndpoint(source.dialect, endpoint)
    ? null
    : DialectRules.refusal(source.name, source.dialect, endpoint)
  const bodyOf = ({ texts }: EmbeddingQuestion) => SourceExchange.bytesOf({ model, input: texts })

  const ask = Effect.fnUntraced(function* (question: EmbeddingQuestion) {
    if (refusal !== null) return yield* makeFailure(refusal)
    const body = bodyOf(question)
    const target = DialectRules.targetOf(source.dialect, endpoint, "/embeddings")
    const response = yield* exchange(asked, { endpoint, target, body }, question)
    const bytes = yield* SourceExchange.wholeOf(response)
    if (!isSuccess(response.status)) return yield* SourceExchange.refusalOf(response)
    const vectors = vectorsOf(SourceExchange.parseJson(bytes), question.texts.length)
    if (vectors === undefined) return yield* makeFailure("answered no embedding for each text", { mayHaveCost: true })
    const reply: EmbeddingReply = { vectors, ...(yield* SourceExchange.costOf(asked, endpoint, body, bytes, 0)) }
    return reply
  })

  return {
    source: source.id,
    refusal,
    estimate: (tokens) => SourceExchange.estimate(asked, endpoint, tokens),
    costMax: (question): Effect.Effect<number | null, SourceChatFailure> =>
      SourceExchange.boundOf(asked, endpoint, bodyOf(question)),
    ask: (question) => SourceExchange.withTimeout(question, ask(question))
  }
}
