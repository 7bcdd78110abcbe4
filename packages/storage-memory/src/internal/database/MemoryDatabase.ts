/**
 * The transaction core of memory storage. Transactions run one at a time; a failure, defect or interruption undoes the
 * journalled changes. Operations outside a transaction wait for its end, so no reader sees uncommitted data.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"

/** An operation registers here how to undo each of its changes. */
export interface UndoLog {
  readonly undo: (change: () => void) => void
}

type Operation = (undoLog: UndoLog) => unknown

/** What a transaction has done and taken back, to be done again. */
export interface DeferredChanges {
  readonly operations: ReadonlyArray<Operation>
  readonly afterCommit: ReadonlyArray<Effect.Effect<void>>
}

class Transaction implements UndoLog {
  state: "open" | "committed" | "rolled back" = "open"
  /** Kept if another commit will run the operations again. */
  readonly operations: Array<Operation> | null
  readonly afterCommit: Array<Effect.Effect<void>> = []
  readonly atEnd: Array<() => void> = []
  private readonly changes: Array<() => void> = []

  constructor(isDeferred = false) {
    this.operations = isDeferred ? [] : null
  }

  undo(change: () => void): void {
    this.changes.push(change)
  }

  /** Runs one operation; if it throws, undoes its changes. */
  apply<A>(operation: (undoLog: UndoLog) => A): A {
    const mark = this.changes.length
    try {
      const result = operation(this)
      this.operations?.push(operation)
      return result
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

/** The transactions that enclose the running fiber, by database. */
const Surrounding = Context.Reference<ReadonlyMap<MemoryDatabase, Transaction>>(
  "@limbeck/storage-memory/MemoryDatabase/Surrounding",
  { defaultValue: () => new Map() }
)

export class MemoryDatabase {
  private readonly turn = Semaphore.makeUnsafe(1)
  /** Whether a transaction has the turn. */
  private isOpen = false

  /** One indivisible operation: in the surrounding transaction, or else as a transaction of its own. */
  sync<A>(operation: (undoLog: UndoLog) => A): Effect.Effect<A> {
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

  /**
   * Runs `self` in a transaction that is rolled back even on success; `make` later applies the returned changes. So no
   * other transaction has to wait until then.
   */
  defer<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<{ result: A; changes: DeferredChanges }, E, R> {
    return Effect.suspend(() => {
      const transaction = new Transaction(true)
      const { afterCommit, operations } = transaction
      return Effect.map(
        this.runIn(transaction, self, () => "rolled back"),
        (result) => ({
          result,
          changes: { operations: operations ?? [], afterCommit }
        })
      )
    })
  }

  /** Makes deferred changes in one transaction, in their order. */
  make(changes: ReadonlyArray<DeferredChanges>): Effect.Effect<void> {
    const made = Effect.forEach(changes, ({ afterCommit, operations }) =>
      Effect.andThen(
        Effect.forEach(operations, (operation) => this.sync(operation), { discard: true }),
        Effect.forEach(afterCommit, (effect) => this.afterCommit(effect), { discard: true })
      )
    )
    return Effect.asVoid(this.transaction(made))
  }

  /** False while the changes of the running fiber are deferred. */
  readonly seesCommit: Effect.Effect<boolean> = Effect.map(
    Effect.suspend(() => this.surrounding),
    (open) => open?.operations == null
  )

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

  /** A fiber that outlives its transaction is outside it. */
  private openIn(all: ReadonlyMap<MemoryDatabase, Transaction>): Transaction | undefined {
    const transaction = all.get(this)
    return transaction?.state === "open" ? transaction : undefined
  }

  private readonly surrounding = Effect.map(Surrounding, (all) => this.openIn(all))

  private begin<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const transaction = new Transaction()
      const whole = this.runIn(transaction, self, (exit) => (Exit.isSuccess(exit) ? "committed" : "rolled back"))
      // Runs outside the turn, because an after-commit effect may use the database; runs even if the caller was interrupted
      // after the commit.
      const follow = Effect.suspend(() =>
        transaction.state === "committed" ? runAll(transaction.afterCommit) : Effect.void
      )
      return Effect.ensuring(whole, follow)
    })
  }

  /** Runs `self` inside the transaction, which has the turn until `endOf` ends it. */
  private runIn<A, E, R>(
    transaction: Transaction,
    self: Effect.Effect<A, E, R>,
    endOf: (exit: Exit.Exit<A, E>) => "committed" | "rolled back"
  ): Effect.Effect<A, E, R> {
    const inside = Effect.flatMap(Surrounding, (all) =>
      Effect.provideService(self, Surrounding, new Map(all).set(this, transaction))
    )
    const opened = Effect.suspend(() => {
      this.isOpen = true
      return inside
    })
    const whole = Effect.onExit(opened, (exit) =>
      Effect.sync(() => {
        transaction.end(endOf(exit))
        this.isOpen = false
      })
    )
    return this.turn.withPermit(whole)
  }
}

/** An after-commit effect cannot undo the commit: a defect is logged, and the others still run. */
const runAll = (effects: ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> =>
  Effect.forEach(
    effects,
    (effect) => Effect.catchCause(effect, (cause) => Effect.logError("after_commit_failed", cause)),
    { discard: true }
  )
