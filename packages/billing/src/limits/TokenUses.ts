/**
 * Holds proxy calls to the limits of their token, over all servers and both modes: each call reads and writes the one row of the
 * token's use, so that no two servers admit by the same rest. A call that costs is reserved at its maximum cost before it is sent; the transaction
 * that stores the call puts its real cost in place of that.
 *
 *     admitted ── `reserve` ──▶ under way ── `end` ──▶ on its way to storage ── `settle` ──▶ gone
 *                                  │                        └── its record was lost ──────▶ released
 *                                  └── `drop`: leaves no record ───────────────────────────▶ released
 */
import { StorageError } from "@limbeck/core/errors/Errors"
import type { TokenId, WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Token from "@limbeck/core/tokens/Token"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { DayCostReached, TokenRateReached } from "../Errors.ts"
import { BillingLimits } from "../Limits.ts"
import * as TokenUse from "./TokenUse.ts"
import * as TokenUseRules from "./TokenUseRules.ts"

export class TokenUses extends Context.Service<
  TokenUses,
  {
    /** Takes a request from the token's bucket, if it has one. */
    readonly take: (workspace: WorkspaceId, token: Token.Token) => Effect.Effect<void, TokenRateReached | StorageError>
    /** Reserves the maximum cost of a call, in place of what was reserved for it before. */
    readonly reserve: (
      workspace: WorkspaceId,
      spender: TokenUse.Spender,
      call: string,
      micros: number
    ) => Effect.Effect<void, DayCostReached | StorageError>
    /** Ends the call before its record goes to storage. Returns its reservation; null: it has none. */
    readonly end: (call: string, now: Millis) => TokenUse.CallReservation | null
    /** The call leaves no record: its reservation is released. */
    readonly drop: (call: string) => Effect.Effect<void>
    /** Runs inside the transaction that first stores these calls, once for a workspace with its calls of both modes. */
    readonly settle: (
      workspace: WorkspaceId,
      settled: ReadonlyArray<TokenUse.SettledCall>
    ) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/billing/limits/TokenUses") {}

/** A call of this server with a reservation in storage. */
interface Ticket extends TokenUse.CallReservation {
  readonly workspace: WorkspaceId
  /** When its record went to storage; null: it is under way. */
  endedAt: Millis | null
  /** Whether the reservation is to be released. */
  isDropped: boolean
}

/** The partition of rows of use. Calls of both modes use one row, because a token may make tokens of the other mode. */
const partitionOf = (workspace: WorkspaceId): Partition.Partition => Partition.make(workspace, true)

/** Reads and writes rows of use; concurrent writers repeat their change. */
const makeRows = Effect.gen(function* () {
  const resources = yield* ResourceStore
  /** This server's writers of a row wait for each other here, and so meet only those of other servers in storage. */
  const turns = new Map<string, Semaphore.Semaphore>()

  const written = Effect.fnUntraced(function* <E>(
    partition: Partition.Partition,
    id: TokenId,
    change: (use: TokenUse.TokenUse, now: Millis) => Effect.Effect<TokenUse.TokenUse, E>
  ) {
    const now = yield* Clock.currentTimeMillis
    const found = Option.getOrUndefined(yield* resources.find(partition, TokenUse.kind, id))
    const before = found?.value ?? TokenUseRules.zeroUse(id, now)
    const value = yield* change(before, now)
    if (value === before) return
    if (found !== undefined) yield* resources.compareAndSet(partition, TokenUse.kind, { ...found, value })
    else {
      yield* Effect.catchTag(
        resources.insert(partition, TokenUse.kind, value),
        "AlreadyExists",
        () => new RevisionConflict({ kind: TokenUse.kind.name, id, revision: 0 })
      )
    }
  })

  /** Also inside a transaction, where the row is this writer's until the commit. */
  const change = <E>(
    workspace: WorkspaceId,
    id: TokenId,
    f: (use: TokenUse.TokenUse, now: Millis) => Effect.Effect<TokenUse.TokenUse, E>
  ) =>
    Effect.catchTag(
      Writers.inTurn(TokenUse.kind, id)(written(partitionOf(workspace), id, f)),
      "ChangedMeanwhile",
      (cause) => new StorageError({ operation: "TokenUses.change", cause })
    )

  const changeInTurn = <E>(
    workspace: WorkspaceId,
    id: TokenId,
    f: (use: TokenUse.TokenUse, now: Millis) => Effect.Effect<TokenUse.TokenUse, E>
  ) =>
    Effect.suspend(() => {
      const key = `${workspace} ${id}`
      const turn = turns.get(key) ?? Semaphore.makeUnsafe(1)
      turns.set(key, turn)
      return turn.withPermit(change(workspace, id, f))
    })

  return { change, changeInTurn, forgetTurns: () => turns.clear() }
})

/** Renews and releases the reservations of this server. */
const makeBeat = (tickets: Map<string, Ticket>, { changeInTurn, forgetTurns }: Effect.Success<typeof makeRows>) => {
  const isLost = ({ endedAt, isDropped }: Ticket, now: Millis) =>
    isDropped || (endedAt !== null && endedAt < now - BillingLimits.callLostMillis)

  const beatOne = Effect.fnUntraced(function* (own: ReadonlyArray<readonly [string, Ticket]>, now: Millis) {
    const [first] = own
    if (first === undefined) return
    const [, { use, workspace }] = first
    const lost = own.filter(([, ticket]) => isLost(ticket, now))
    const released = lost.map(([call]) => call)
    yield* changeInTurn(workspace, use, (row, now) => {
      // A call may have been stored since the beat began.
      const kept = own.filter(([call, ticket]) => tickets.get(call) === ticket && !isLost(ticket, now))
      const reserved = kept.map(([call, { micros }]) => ({ call, micros }))
      return Effect.succeed(TokenUseRules.renew(row, reserved, released, now))
    })
    for (const [call, ticket] of lost) if (tickets.get(call) === ticket) tickets.delete(call)
  })

  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    forgetTurns()
    const byUse = Map.groupBy(tickets, ([, { use, workspace }]) => `${workspace} ${use}`)
    return Effect.forEach(
      byUse.values(),
      (own) =>
        Effect.catchTag(beatOne(own, now), "StorageError", (error) =>
          Effect.logWarning("token_use_not_renewed", error)
        ),
      { concurrency: 4, discard: true }
    )
  })
}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const rows = yield* makeRows
  const tickets = new Map<string, Ticket>()
  const beat = makeBeat(tickets, rows)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(BillingLimits.holdBeatMillis), beat)))

  const take: TokenUses["Service"]["take"] = (workspace, token) => {
    const perMinute = token.limits?.requestsPerMinute
    if (perMinute === undefined) return Effect.void
    return rows.changeInTurn(workspace, Token.useIdOf(token), (row, now) => {
      const { allowed, retryAfterSeconds, use } = TokenUseRules.take(row, perMinute, now)
      return allowed ? Effect.succeed(use) : Effect.fail(new TokenRateReached({ perMinute, retryAfterSeconds }))
    })
  }

  /** Uninterruptible: storage and this server agree on what is reserved even if the client has left. */
  const reserve: TokenUses["Service"]["reserve"] = Effect.fnUntraced(function* (
    workspace,
    { maxMicrosPerDay, use },
    call,
    micros
  ) {
    yield* rows.changeInTurn(workspace, use, (row, now) => {
      const { allowed, leftMicros, use } = TokenUseRules.reserve(row, { call, micros, maxMicrosPerDay }, now)
      return allowed
        ? Effect.succeed(use)
        : Effect.fail(new DayCostReached({ maxMicros: maxMicrosPerDay, leftMicros, neededMicros: micros }))
    })
    tickets.set(call, { workspace, use, micros, endedAt: null, isDropped: false })
  }, Effect.uninterruptible)

  /** What storage does not take now is released by the next beat. */
  const drop: TokenUses["Service"]["drop"] = (call) =>
    Effect.suspend(() => {
      const ticket = tickets.get(call)
      if (ticket === undefined) return Effect.void
      ticket.isDropped = true
      const released = rows.changeInTurn(ticket.workspace, ticket.use, (row, now) =>
        Effect.succeed(TokenUseRules.renew(row, [], [call], now))
      )
      return Effect.ignore(
        Effect.tap(released, () =>
          Effect.sync(() => {
            if (tickets.get(call) === ticket) tickets.delete(call)
          })
        )
      )
    }).pipe(Effect.uninterruptible)

  /** In one order for all servers, so that two never wait for each other in a circle. */
  const settle: TokenUses["Service"]["settle"] = Effect.fnUntraced(function* (workspace, settled) {
    const byUse = [...Map.groupBy(settled, ({ use }) => use)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [use, calls] of byUse) {
      yield* rows.change(workspace, use, (row, now) => Effect.succeed(TokenUseRules.settle(row, calls, now)))
    }
    yield* storage.afterCommit(
      Effect.sync(() => {
        for (const { call } of settled) tickets.delete(call)
      })
    )
  })

  return TokenUses.of({
    take,
    reserve,
    drop,
    settle,
    end: (call, now) => {
      const ticket = tickets.get(call)
      if (ticket === undefined || ticket.isDropped) return null
      ticket.endedAt = now
      return { use: ticket.use, micros: ticket.micros }
    }
  })
})

export const layer: Layer.Layer<TokenUses, never, Storage | ResourceStore> = Layer.effect(TokenUses, make)

/** For a host without limits of tokens. */
export const none = Layer.succeed(TokenUses, {
  take: () => Effect.void,
  reserve: () => Effect.void,
  end: () => null,
  drop: () => Effect.void,
  settle: () => Effect.void
})
