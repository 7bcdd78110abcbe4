/**
 * Journal of a relabelling: the new answers to the suspects of a version under construction, and the money for them. An answer is
 * stored on arrival, and a call is reserved in storage before the request. After a crash the next attempt requests only the missing
 * answers, and counts the reservations of the lost attempt as spent, because some of its calls may have been charged.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { DatasetVersionId } from "../dataset/DatasetVersion.ts"
import { Message } from "../dataset/Row.ts"
import { RowStore, type StoredRow } from "../dataset/RowStore.ts"
import type { NewAnswer } from "./RelabelRules.ts"

/** The name under which `RowStore` holds the journal of a version. */
export const rowsOf = (id: DatasetVersionId): string => `${id}.relabels`

const Answer = Schema.Struct({ digest: Schema.String, completion: Schema.NullOr(Message) })
const Account = Schema.Struct({
  /** The most that all calls so far can have cost. */
  reservedMicros: Schema.Int,
  /** Present after the last request. Reason for suspects without a request, for a person; null without such suspects. */
  ending: Schema.optionalKey(Schema.Struct({ reason: Schema.NullOr(Schema.String) }))
})
type Account = typeof Account.Type

const accountKey = "account"
const answerPrefix = "answer."
const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))
const decodeAccount = Schema.decodeUnknownEffect(Schema.fromJsonString(Account))
const stored = (key: string, body: object): StoredRow => ({ key, split: "train", body: JSON.stringify(body) })

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const rowStore = yield* RowStore
  const queue = yield* Queue

  /** What earlier attempts have left. */
  const read = Effect.fnUntraced(function* ({ partition }: Work, name: string) {
    const answers = new Map<string, Array<NewAnswer>>()
    let account: Account | undefined
    yield* Stream.runForEach(rowStore.scan(partition, name, null), ({ body, key }) =>
      Effect.gen(function* () {
        if (!key.startsWith(answerPrefix)) account = yield* decodeAccount(body)
        else {
          const { completion, digest } = yield* decodeAnswer(body)
          answers.set(digest, [...(answers.get(digest) ?? []), completion])
        }
        // The journal wrote them.
      }).pipe(Effect.orDie)
    )
    return { answers, account }
  })

  return Effect.fnUntraced(function* (work: Work, id: DatasetVersionId) {
    const { partition } = work
    const name = rowsOf(id)
    const write = (writing: Effect.Effect<unknown, StorageError>) =>
      storage.transaction(Effect.andThen(queue.guard(work), writing))
    const { account, answers } = yield* read(work, name)
    let reservedMicros = account?.reservedMicros ?? 0
    if (account === undefined) {
      yield* write(rowStore.append(partition, name, [stored(accountKey, { reservedMicros })]))
    }
    const oneByOne = Semaphore.makeUnsafe(1)
    const writeAccount = (next: Account) => write(rowStore.replace(partition, name, [stored(accountKey, next)]))

    return {
      ending: account?.ending,
      /** Of the attempts before. */
      spentMicros: reservedMicros,
      answersOf: (digest: string): ReadonlyArray<NewAnswer> => answers.get(digest) ?? [],
      /** Stores that calls may cost this sum in all. A smaller one than before changes nothing. */
      reserve: (upToMicros: number) =>
        oneByOne.withPermit(
          Effect.gen(function* () {
            if (upToMicros <= reservedMicros) return
            yield* writeAccount({ reservedMicros: upToMicros })
            reservedMicros = upToMicros
          })
        ),
      /** Adds the next answer to a row. */
      add: Effect.fnUntraced(function* (digest: string, completion: NewAnswer) {
        const before = answers.get(digest) ?? []
        const row = stored(`${answerPrefix}${digest}.${before.length}`, { digest, completion })
        yield* write(rowStore.append(partition, name, [row]))
        answers.set(digest, [...before, completion])
      }),
      /** Ends the requests: later attempts of the build only read the answers. */
      end: (spentMicros: number, reason: string | null) =>
        writeAccount({ reservedMicros: spentMicros, ending: { reason } })
    }
  })
})
