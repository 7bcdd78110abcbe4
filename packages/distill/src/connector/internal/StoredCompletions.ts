/**
 * A provider's stored chat completions as rows: walks the list oldest first, and reads the prompt messages of each
 * completion. A broken request is repeated for its page or completion, so the walk continues in place.
 */
import * as Bytes from "@limbeck/core/bytes/Bytes"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { nestsDeeper } from "../../dataset/RowShape.ts"
import { DistillLimits } from "../../Limits.ts"
import type { Rule } from "../Connector.ts"
import type { Remote, RemoteAnswer } from "../Remote.ts"
import * as PullFailure from "./PullFailure.ts"
import { persistently } from "./Resumed.ts"

type Config = Extract<Rule, { readonly kind: "openai_stored_completions" }>["config"]

const pageOf = <S extends Schema.Codec<unknown, unknown>>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), has_more: Schema.optionalKey(Schema.Boolean) })

const Completion = Schema.Struct({
  id: Schema.NonEmptyString,
  choices: Schema.Array(Schema.Struct({ message: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)) })),
  metadata: Schema.optionalKey(Schema.NullOr(Schema.JsonObject))
})
const Message = Schema.StructWithRest(Schema.Struct({ id: Schema.NonEmptyString }), [
  Schema.Record(Schema.String, Schema.Json)
])

const CompletionsPage = pageOf(Completion)
const MessagesPage = pageOf(Message)

const utf8 = new TextEncoder()

/** Leaves out the provider's own members, and empty ones. */
const messageOf = ({ content_parts: parts, id: _, object: __, ...message }: Schema.JsonObject): Schema.JsonObject => {
  const said = Object.entries(message).filter(([name, value]) => value !== null || name === "content")
  const isInParts = (message["content"] ?? null) === null && Array.isArray(parts) && parts.length > 0
  return { ...Object.fromEntries(said), ...(isInParts ? { content: parts } : {}) }
}

const rowOf = (
  { choices, id, metadata }: typeof Completion.Type,
  messages: ReadonlyArray<Schema.JsonObject>
): Schema.JsonObject => {
  const answer = choices[0]?.message ?? null
  return {
    messages: messages.map(messageOf),
    ...(answer === null ? {} : { completion: messageOf(answer) }),
    external_id: id,
    ...(metadata === null || metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata })
  }
}

/** One conversation becomes one row, and no row may be longer than a line. */
const withinRow = (
  messages: Stream.Stream<Schema.JsonObject, PullFailure.PullFailure>
): Stream.Stream<Schema.JsonObject, PullFailure.PullFailure> =>
  Stream.mapAccumEffect(
    messages,
    () => 0,
    (before, message) => {
      const characters = before + JSON.stringify(message).length
      return characters > DistillLimits.rowBytesMax
        ? Effect.fail(PullFailure.invalidAnswer(`A conversation is more than ${DistillLimits.rowBytesMax} bytes`))
        : Effect.succeed([characters, [message]] as const)
    }
  )

/** The text of a JSON response; fails beyond the size limit. */
const textOf = ({ body }: RemoteAnswer) =>
  Effect.map(
    Bytes.whole(Stream.mapError(body, PullFailure.unreachable), DistillLimits.pullAnswerBytesMax, () =>
      PullFailure.invalidAnswer(`An answer is more than ${DistillLimits.pullAnswerBytesMax} bytes`)
    ),
    (bytes) => new TextDecoder().decode(bytes)
  )

/** Undefined for malformed JSON, and for nesting that could exhaust the stack. */
const parse = (text: string): unknown => {
  try {
    const json: Schema.Json = JSON.parse(text)
    return nestsDeeper(json, 2 * DistillLimits.rowDepthMax) ? undefined : json
  } catch {
    return undefined
  }
}

export const content = (
  remote: Remote["Service"],
  { apiKey, config, livemode }: { readonly config: Config; readonly apiKey: string; readonly livemode: boolean }
): Stream.Stream<Uint8Array, PullFailure.PullFailure> => {
  const base = config.base_url.replace(/\/+$/, "")
  const headers = { accept: "application/json", authorization: `Bearer ${apiKey}` }

  const once = <A>(schema: Schema.Codec<A, unknown>, url: string) =>
    Effect.gen(function* () {
      const answer = yield* Effect.mapError(remote.get({ url, livemode, headers }), PullFailure.unreachable)
      if (answer.statusCode !== 200) return yield* PullFailure.refusalOf(answer.statusCode)
      const decoded = Schema.decodeUnknownResult(schema)(parse(yield* textOf(answer)))
      return Result.isSuccess(decoded)
        ? decoded.success
        : yield* PullFailure.invalidAnswer("An answer is no list of chat completions, or of their messages")
    }).pipe(Effect.scoped)

  /** All items of a list, page by page. */
  const walk = <A extends { readonly id: string }>(
    schema: Schema.Codec<{ readonly data: ReadonlyArray<A>; readonly has_more?: boolean }, unknown>,
    path: string,
    query: Readonly<Record<string, string>>
  ): Stream.Stream<A, PullFailure.PullFailure> =>
    Stream.paginate(null as string | null, (after) => {
      const asked = new URLSearchParams({ ...query, order: "asc", ...(after === null ? {} : { after }) })
      return Effect.flatMap(persistently(once(schema, `${base}${path}?${asked}`)), ({ data, has_more: hasMore }) => {
        const last = data.at(-1)?.id ?? null
        if (hasMore !== true || last === null) return Effect.succeed([data, Option.none<string>()] as const)
        return last === after
          ? Effect.fail(PullFailure.invalidAnswer("The list goes round in circles"))
          : Effect.succeed([data, Option.some(last)] as const)
      })
    })

  const messagesOf = (id: string) =>
    walk(MessagesPage, `/chat/completions/${encodeURIComponent(id)}/messages`, { limit: "100" }).pipe(
      withinRow,
      Stream.runCollect
    )

  const filters = {
    ...(config.model === null ? {} : { model: config.model }),
    ...Object.fromEntries(Object.entries(config.metadata ?? {}).map(([name, value]) => [`metadata[${name}]`, value]))
  }

  return walk(CompletionsPage, "/chat/completions", { limit: String(DistillLimits.pullPage), ...filters }).pipe(
    Stream.mapEffect(
      (completion) =>
        Effect.map(messagesOf(completion.id), (messages) =>
          utf8.encode(`${JSON.stringify(rowOf(completion, messages))}\n`)
        ),
      { concurrency: DistillLimits.pullRequestsMax }
    )
  )
}
