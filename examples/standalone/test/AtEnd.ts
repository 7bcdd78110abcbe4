/** What a test gives to its helpers so that they can undo what they did: `onTestFinished` of its context. */
export type AtEnd = (undo: () => Promise<void> | void) => void
