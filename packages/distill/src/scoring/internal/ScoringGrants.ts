/**
 * Grants for the server that drives a run, which makes and prolongs them, and for servers that score, which find and charge
 * them.
 */
import { Unauthenticated } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ScoringOver } from "../../Errors.ts"
import { DistillLimits } from "../../Limits.ts"
import * as Run from "../../run/Run.ts"
import { isTerminal } from "../../run/RunMachine.ts"
import * as Capability from "../../upload/internal/Capability.ts"
import type * as JudgeBudget from "../JudgeBudget.ts"
import * as ScoringGrant from "./ScoringGrant.ts"

type Grant = ScoringGrant.ScoringGrant

/** A currently valid grant, with its run. */
export interface LiveGrant {
  readonly partition: Partition
  readonly run: Run.Run
  readonly stored: StoredResource<Grant>
}

const isOfAttempt = (run: Run.Run, { attempt, stage }: Grant): boolean => {
  const row = run.stages[stage - 1]
  return !isTerminal(run.status) && row?.status === "running" && row.attempt === attempt
}

const makeOpen = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const capabilities = yield* Capability.make

  const write = (partition: Partition, found: Option.Option<StoredResource<Grant>>, value: Grant) =>
    Option.isNone(found)
      ? resources.insert(partition, ScoringGrant.kind, value)
      : resources.compareAndSet(partition, ScoringGrant.kind, { ...found.value, value })

  /** A grant for this attempt, whose capability is in no storage. That of an earlier attempt is over. */
  return (partition: Partition, run: Run.RunId, stage: Run.RunStage) =>
    Effect.gen(function* () {
      const found = yield* resources.find(partition, ScoringGrant.kind, run)
      const { digest, text } = yield* capabilities.issue(partition)
      const now = yield* Clock.currentTimeMillis
      const value: Grant = {
        id: run,
        stage: stage.seq,
        attempt: stage.attempt,
        stageStartedAt: stage.startedAt,
        digest,
        expiresAt: now + DistillLimits.scoringMillis,
        judges: ScoringGrant.judgesBefore(Option.getOrUndefined(found)?.value, stage),
        createdAt: now
      }
      yield* write(partition, found, value)
      return { capability: text, digest, judges: value.judges }
    }).pipe(
      storage.transaction,
      // Of two concurrent opens the second retries.
      Effect.catchTag("AlreadyExists", ({ id, kind }) => new RevisionConflict({ kind, id, revision: 0 })),
      Writers.inTurn(ScoringGrant.kind, run)
    )
})

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const capabilities = yield* Capability.make

  const find = (partition: Partition, run: string) => resources.find(partition, ScoringGrant.kind, run)

  /** Changes the grant if its digest is still current; returns it, or undefined if another attempt has its own. */
  const change = (partition: Partition, run: string, digest: string, by: (grant: Grant, now: number) => Grant) =>
    Effect.gen(function* () {
      const found = yield* find(partition, run)
      if (Option.isNone(found) || found.value.value.digest !== digest) return undefined
      const value = by(found.value.value, yield* Clock.currentTimeMillis)
      if (value !== found.value.value)
        yield* resources.compareAndSet(partition, ScoringGrant.kind, { ...found.value, value })
      return value
    }).pipe(Writers.inTurn(ScoringGrant.kind, run))

  return {
    open: yield* makeOpen,
    /** Changes what judges take by this grant. */
    charge: (
      partition: Partition,
      { digest, id }: Pick<Grant, "digest" | "id">,
      by: (judges: JudgeBudget.JudgeTokens) => JudgeBudget.JudgeTokens
    ) => change(partition, id, digest, (grant) => ({ ...grant, judges: by(grant.judges) })),
    /** The grant is used: it lasts on. */
    prolong: (partition: Partition, { digest, id }: Pick<Grant, "digest" | "id">) =>
      change(partition, id, digest, (grant, now) =>
        grant.expiresAt - now > DistillLimits.scoringMillis / 2
          ? grant
          : { ...grant, expiresAt: now + DistillLimits.scoringMillis }
      ),
    /** The grant of a capability for this run; a foreign capability looks like any unknown text. */
    find: Effect.fnUntraced(function* (id: string, capability: string) {
      const partition = yield* capabilities.partitionOf(capability)
      if (partition === undefined) return yield* new Unauthenticated()
      const found = yield* find(partition, id)
      const digest = yield* capabilities.digestOf(capability)
      if (Option.isNone(found) || found.value.value.digest !== digest) return yield* new Unauthenticated()
      const run = yield* resources.find(partition, Run.kind, id)
      const isOver = found.value.value.expiresAt <= (yield* Clock.currentTimeMillis)
      if (isOver || Option.isNone(run) || !isOfAttempt(run.value.value, found.value.value)) {
        return yield* new ScoringOver({ run: id })
      }
      const live: LiveGrant = { partition, run: run.value.value, stored: found.value }
      return live
    })
  } as const
})
