/** How a helper asks the test to undo something. */

/**
 * Takes a function that undoes something, and calls it when the test ends: `onTestFinished` of the test's context, or
 * `afterAll` of a suite.
 *
 * @example
 * it("serves a bucket", async ({ onTestFinished }) => {
 *   const receiver = await Receiver.open(onTestFinished)
 * })
 */
export type AtEnd = (undo: () => Promise<void> | void) => void

/**
 * `afterAll` for use inside hooks such as `beforeAll`, where vitest ignores it. Undoes the latest step first.
 *
 * @example
 * const atEnd = fromHooks(afterAll)
 * beforeAll(async () => {
 *   receiver = await Receiver.open(atEnd)
 * })
 */
export const fromHooks = (afterAll: AtEnd): AtEnd => {
  const undone: Array<() => Promise<void> | void> = []
  afterAll(async () => {
    for (const undo of undone) await undo()
  })
  return (undo) => void undone.unshift(undo)
}
