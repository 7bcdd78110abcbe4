/**
 * The transaction core of memory storage. One transaction runs at a time; what it changes is journalled and undone when it
 * fails, dies or is interrupted. Operations outside of it wait for its end, so nothing uncommitted is ever seen.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"

/** Where an operation says how each change it makes is taken back. */
export interface Journal {
  readonly undo: (change: () => void) => void
}

class Transaction implements Journal {
  state: "open" | "committed" | "rolled back" = "open"
  readonly afterCommit: Array<Effect.Effect<void>> = []
  readonly atEnd: Array<() => void> = []
  private readonly changes: Array<() => void> = []

  undo(change: () => void): void {
    this.changes.push(change)
  }

  /** Runs one operation; if it throws, its own changes are taken back. */
  apply<A>(operation: (journal: Journal) => A): A {
    const mark = this.changes.length
    try {
      return operation(this)
    } catch (defect) {
      this.undoTo(mark)
      throw defect
    }
  }

  end(state: "committed" | "rolled back"): void {
    if (state === "rolled back") this.undoTo(0)
    this.state = state
    for (const finalizer of this.atEnd) finalizer()
  }

  private undoTo(mark: number): void {
    while (this.changes.length > mark) this.changes.pop()?.()
  }
}

/** The transactions that the running fiber is inside of, by database. */
const Surrounding = Context.Reference<ReadonlyMap<MemoryDatabase, Transaction>>(
  "@limbeck/storage-memory/MemoryDatabase/Surrounding",
  { defaultValue: () => new Map() }
)

export class MemoryDatabase {
  private readonly turn = Semaphore.makeUnsafe(1)
  /** Whether a transaction has the turn. */
  private isOpen = false

  /** One indivisible operation: in the surrounding transaction, or else as a transaction of its own. */
  sync<A>(operation: (journal: Journal) => A): Effect.Effect<A> {
    return Effect.flatMap(Surrounding, (all) => {
      const open = this.openIn(all)
      if (open !== undefined) return Effect.sync(() => open.apply(operation))
      const alone = Effect.sync(() => new Transaction().apply(operation))
      // Nothing runs while it does: it needs the turn only to wait for a transaction.
      return this.isOpen ? this.turn.withPermit(alone) : alone
    })
  }

  transaction<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(this.surrounding, (open) => (open === undefined ? this.begin(self) : self))
  }

  /** Runs `effect` after the surrounding commit, never after a rollback; at once outside of a transaction. */
  afterCommit(effect: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.flatMap(this.surrounding, (open) =>
      open === undefined ? effect : Effect.sync(() => void open.afterCommit.push(effect))
    )
  }

  /** Runs `finalizer` when the surrounding transaction ends, either way; at once outside of a transaction. */
  atEnd(finalizer: () => void): Effect.Effect<void> {
    return Effect.map(this.surrounding, (open) => {
      if (open === undefined) finalizer()
      else open.atEnd.push(finalizer)
    })
  }

  /** A fiber that outlives the transaction it was forked in is outside of it. */
  private openIn(all: ReadonlyMap<MemoryDatabase, Transaction>): Transaction | undefined {
    const transaction = all.get(this)
    return transaction?.state === "open" ? transaction : undefined
  }

  private readonly surrounding = Effect.map(Surrounding, (all) => this.openIn(all))

  private begin<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const transaction = new Transaction()
      const inside = Effect.flatMap(Surrounding, (all) =>
        Effect.provideService(self, Surrounding, new Map(all).set(this, transaction))
      )
      const opened = Effect.suspend(() => {
        this.isOpen = true
        return inside
      })
      const whole = Effect.onExit(opened, (exit) =>
        Effect.sync(() => {
          transaction.end(Exit.isSuccess(exit) ? "committed" : "rolled back")
          this.isOpen = false
        })
      )
      // Outside the turn, because what waits for the commit may use the database; and also when the caller was
      // interrupted after it.
      const follow = Effect.suspend(() =>
        transaction.state === "committed" ? runAll(transaction.afterCommit) : Effect.void
      )
      return Effect.ensuring(this.turn.withPermit(whole), follow)
    })
  }
}

/** What follows a commit cannot undo it: a defect is logged, and the others still run. */
const runAll = (effects: ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> =>
  Effect.forEach(
    effects,
    (effect) => Effect.catchCause(effect, (cause) => Effect.logError("after_commit_failed", cause)),
    { discard: true }
  )
