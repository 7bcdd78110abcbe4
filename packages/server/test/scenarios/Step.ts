/** A request of a scenario. */

/**
 * A request. Path and body name resources by reference: `{run_:3}` is the fourth id with this prefix that the scenario saw in
 * the step's mode, counted round and round; an unused id where it saw none. `{run_:any3}` counts the ids of both modes.
 */
export interface Step {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST"
  readonly path: string
  readonly body?: unknown
  readonly mode: "live" | "test"
  /** The `Idempotency-Key`. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What is sent to the upload that the step announces. */
  readonly content?: string
  /** Continues at the last `next_cursor` of this path, if any. */
  readonly isNextPage?: boolean
}

/** A step before it has a mode and a key. */
export type Act = Omit<Step, "key" | "mode">
