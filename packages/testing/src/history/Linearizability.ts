/**
 * Whether a history of concurrent operations is linearizable: each operation seems to happen at one instant between its call
 * and its return. The search is that of Wing and Gong (1993), with Lowe's cache of visited configurations (2017).
 */

/** What happened: an input and its output, between two instants of one clock. */
export interface Operation<Input, Output> {
  readonly input: Input
  readonly output: Output
  readonly calledAt: number
  readonly returnedAt: number
}

/** The sequential behaviour of an object. */
export interface Model<State, Input, Output> {
  readonly initial: State
  /** The state after the operation; undefined where this state does not allow its output. States are compared as JSON. */
  readonly step: (state: State, input: Input, output: Output) => State | undefined
}

/** Records the calls and returns of operations. */
export class History<Input, Output> {
  readonly operations: Array<Operation<Input, Output>> = []
  #now = 0

  async record(input: Input, operate: () => Promise<Output>): Promise<Output> {
    const calledAt = this.#now++
    const output = await operate()
    this.operations.push({ input, output, calledAt, returnedAt: this.#now++ })
    return output
  }
}

/**
 * An order in which the operations may have happened; undefined where there is none.
 *
 * @example
 * const history = new History<string, number>()
 * await Promise.all(["a", "b"].map((name) => history.record(name, () => create(name))))
 * assert.isDefined(linearized(model, history.operations))
 */
export const linearized = <State, Input, Output>(
  { initial, step }: Model<State, Input, Output>,
  history: ReadonlyArray<Operation<Input, Output>>
): ReadonlyArray<Operation<Input, Output>> | undefined => {
  const visited = new Set<string>()
  const order: Array<Operation<Input, Output>> = []

  const search = (state: State, open: ReadonlyArray<Operation<Input, Output>>): boolean => {
    if (open.length === 0) return true
    const configuration = `${JSON.stringify(state)} ${open.map(({ calledAt }) => calledAt).join()}`
    if (visited.has(configuration)) return false
    visited.add(configuration)
    // The next one was called before any of the open ones had returned.
    const firstReturn = Math.min(...open.map(({ returnedAt }) => returnedAt))
    for (const operation of open.filter(({ calledAt }) => calledAt < firstReturn)) {
      const next = step(state, operation.input, operation.output)
      if (next === undefined) continue
      order.push(operation)
      if (
        search(
          next,
          open.filter((other) => other !== operation)
        )
      )
        return true
      order.pop()
    }
    return false
  }

  return search(initial, history) ? order : undefined
}
