/**
 * The shares of workspaces in a pool: a workspace takes more only while its new total does not exceed the free slots
 * before.
 *
 *     size 8, one workspace that never gives back:   A A A A · · · ·      A holds no more than what is free
 *     a second one comes:                            A A A A B B · ·      B has half of what it had alone
 *     a third:                                       A A A A B B C ·
 *
 *  1. A workspace alone gets half of the pool.
 *  2. Each further workspace at its maximum halves the share of a newcomer, and leaves it one slot until the pool is full.
 */

/** Whether a workspace with `held` slots may take `amount` more out of `free` slots. */
export const fits = (held: number, amount: number, free: number): boolean => held + amount <= free

/** How many more slots a workspace with `held` ones may take out of `free` ones, one after the other: the law of `fits` for each. */
export const room = (held: number, free: number): number => Math.max(0, Math.floor((free - held + 1) / 2))

/** The share of a workspace that uses the pool alone. */
export const sizeAlone = (size: number): number => Math.ceil(size / 2)

/**
 * The slots held by each workspace in one pool. `Key` is a workspace id; `null` stands for requests without a
 * workspace.
 */
export class Shares<Key extends string | null> {
  private readonly counts = new Map<Key, number>()
  private amount = 0
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  /** Of all workspaces. */
  get taken(): number {
    return this.amount
  }

  get free(): number {
    return this.size - this.amount
  }

  of(key: Key): number {
    return this.counts.get(key) ?? 0
  }

  /** The slots of every workspace with slots. */
  get held(): ReadonlyMap<Key, number> {
    return this.counts
  }

  fits(key: Key, amount = 1): boolean {
    return fits(this.of(key), amount, this.free)
  }

  /** The workspaces whose share has no slot left. */
  full(): ReadonlyArray<Key> {
    return [...this.counts.keys()].filter((key) => !this.fits(key))
  }

  take(key: Key, amount = 1): void {
    this.change(key, amount)
  }

  give(key: Key, amount = 1): void {
    this.change(key, -amount)
  }

  private change(key: Key, by: number): void {
    const after = this.of(key) + by
    this.amount += by
    if (after === 0) this.counts.delete(key)
    else this.counts.set(key, after)
  }
}
