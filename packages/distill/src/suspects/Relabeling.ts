/**
 * Asks the teacher again about the suspects of a version under construction, the most suspicious first, within the version's
 * own budget (`clean: "relabel"`), and keeps the vote of each.
 *
 *     suspect ── answer.0 equals the row's ──────────────> confirmed
 *        └────── another ── answer.1 equals the row's ───> confirmed
 *                   ├────── answer.1 equals answer.0 ────> changed
 *                   └────── another, or none ────────────> undecided
 *
 * Invariants: storage holds the reservation of a call before the request; reservations never exceed the budget; an answer in the
 * journal is never requested again; after the last request, later attempts of the build compute the same votes.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { LeaseLost, Work } from "@limbeck/core/queue/Queue"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Cleaning, DatasetVersion } from "../dataset/DatasetVersion.ts"
import * as StoredRows from "../dataset/internal/StoredRows.ts"
import { RowStore, type StoredRow } from "../dataset/RowStore.ts"
import { exampleOf, type Message } from "../dataset/RowText.ts"
import { DistillLimits } from "../Limits.ts"
import { type BudgetedModel, Candidates } from "../race/Candidates.ts"
import * as RelabelJournal from "./RelabelJournal.ts"
import * as RelabelRules from "./RelabelRules.ts"

/** A suspect's content digest, and the key of one of its rows. */
export interface AskedSuspect {
  readonly digest: string
  readonly key: string
}

export interface Relabeling {
  /** By the digest of the row. */
  readonly votes: ReadonlyMap<string, RelabelRules.Vote>
  readonly figures: NonNullable<(typeof Cleaning.Type)["relabel"]>
}

/** Replacement answers, by the digest of the row. */
export const rightAnswers = ({ votes }: Pick<Relabeling, "votes">): ReadonlyMap<string, Message> =>
  new Map([...votes].flatMap(([digest, { right }]) => (right === null ? [] : [[digest, right]])))

/** The budget does not hold the next call. */
class BudgetSpent extends Data.TaggedError("BudgetSpent")<{ readonly message: string }> {}

const figuresOf = (
  votes: ReadonlyMap<string, RelabelRules.Vote>,
  spentMicros: number,
  reason: string | null
): Relabeling["figures"] => {
  const of = (outcome: RelabelRules.RelabelOutcome) =>
    [...votes.values()].filter((vote) => vote.outcome === outcome).length
  const [changed, confirmed, undecided] = [of("changed"), of("confirmed"), of("undecided")]
  return { asked: changed + confirmed + undecided, changed, confirmed, undecided, spentMicros, reason }
}

type Journal = Effect.Success<ReturnType<Effect.Success<typeof RelabelJournal.make>>>
type Model = BudgetedModel<BudgetSpent | LeaseLost | StorageError>

/** Asks until the vote is decided; the end of the budget ends it, too. */
const askAbout = Effect.fnUntraced(function* (journal: Journal, model: Model, digest: string, stored: StoredRow) {
  const row = yield* StoredRows.rowOf(stored)
  const own = exampleOf(row).completion
  for (;;) {
    const answers = journal.answersOf(digest)
    if (answers.length >= RelabelRules.answersMax || RelabelRules.isConfirmed(own, answers)) return
    yield* journal.add(digest, Option.getOrNull(yield* model.ask(row)))
  }
})

/** Asks about the suspects in their order. Returns why some were not asked; null: all were. */
const makeAsking = Effect.map(RowStore, (rowStore) =>
  Effect.fnUntraced(function* (
    { partition }: Work,
    version: DatasetVersion,
    suspects: ReadonlyArray<AskedSuspect>,
    journal: Journal,
    model: Model
  ) {
    let reason: string | null = null
    let answered = 0
    let failures = 0
    const ask = Effect.fnUntraced(function* (suspect: AskedSuspect, row: StoredRow) {
      yield* askAbout(journal, model, suspect.digest, row)
      const isAnswered = journal.answersOf(suspect.digest).some((answer) => answer !== null)
      if (isAnswered) answered++
      else failures++
      if (answered === 0 && failures >= DistillLimits.teacherRepeatsFailures) {
        reason ??= `The source answered none of the first ${failures} suspects`
      }
    })
    const rowsOf = (group: ReadonlyArray<AskedSuspect>) =>
      rowStore.findMany(
        partition,
        version.id,
        group.map(({ key }) => key)
      )
    yield* Stream.fromIterable(suspects).pipe(
      Stream.grouped(DistillLimits.suspectsBatch),
      Stream.takeWhile(() => reason === null),
      Stream.mapEffect((group) =>
        Effect.map(rowsOf(group), (rows) => {
          const byKey = new Map(rows.map((row) => [row.key, row]))
          return group.flatMap((suspect) => {
            const row = byKey.get(suspect.key)
            return row === undefined ? [] : [{ suspect, row }]
          })
        })
      ),
      Stream.flattenIterable,
      Stream.mapEffect(
        ({ row, suspect }) =>
          Effect.suspend(() => (reason === null ? ask(suspect, row) : Effect.void)).pipe(
            Effect.catchTag("BudgetSpent", ({ message }) =>
              Effect.sync(() => {
                reason ??= message
              })
            )
          ),
        { concurrency: DistillLimits.relabelAskedMax, unordered: true }
      ),
      Stream.runDrain
    )
    return reason
  })
)

/** The votes by the answers in the journal. */
const makeVotes = Effect.map(RowStore, (rowStore) =>
  Effect.fnUntraced(function* (
    { partition }: Work,
    version: DatasetVersion,
    suspects: ReadonlyArray<AskedSuspect>,
    journal: Journal
  ) {
    const votes = new Map<string, RelabelRules.Vote>()
    const digests = new Map(suspects.map(({ digest, key }) => [key, digest]))
    for (let at = 0; at < suspects.length; at += DistillLimits.suspectsBatch) {
      const keys = suspects.slice(at, at + DistillLimits.suspectsBatch).map(({ key }) => key)
      for (const stored of yield* rowStore.findMany(partition, version.id, keys)) {
        const own = exampleOf(yield* StoredRows.rowOf(stored)).completion
        const digest = digests.get(stored.key)!
        votes.set(digest, RelabelRules.voteOf(own, journal.answersOf(digest)))
      }
    }
    return votes
  })
)

export const make = Effect.gen(function* () {
  const candidates = yield* Candidates
  const open = yield* RelabelJournal.make
  const askAll = yield* makeAsking
  const votesOf = yield* makeVotes

  return Effect.fn("Relabeling.relabel")(function* (
    work: Work,
    version: DatasetVersion,
    { budgetMicros, model, source }: NonNullable<DatasetVersion["relabel"]>,
    suspects: ReadonlyArray<AskedSuspect>
  ) {
    const journal = yield* open(work, version.id)
    const reserve = (upToMicros: number): Effect.Effect<void, BudgetSpent | LeaseLost | StorageError> =>
      upToMicros > budgetMicros
        ? Effect.fail(new BudgetSpent({ message: "The budget was spent before the last suspect" }))
        : journal.reserve(upToMicros)
    const teacher = yield* candidates.open(
      work.partition,
      { source, model },
      { spentMicros: journal.spentMicros, reserve }
    )
    const asking = Effect.gen(function* () {
      if (Option.isNone(teacher))
        return { reason: `There is no source ${source} any more`, micros: journal.spentMicros }
      const reason = yield* askAll(work, version, suspects, journal, teacher.value)
      return { reason, micros: teacher.value.spentMicros() }
    })
    const ended = journal.ending
    const { micros, reason } = ended === undefined ? yield* asking : { ...ended, micros: journal.spentMicros }
    if (ended === undefined) yield* journal.end(micros, reason)
    const votes = yield* votesOf(work, version, suspects, journal)
    // A source may report more tokens than the request allows: the bound of each call was within the budget.
    return { votes, figures: figuresOf(votes, Math.min(budgetMicros, micros), reason) } satisfies Relabeling
  })
})
