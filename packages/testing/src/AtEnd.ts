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
