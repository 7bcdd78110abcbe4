/** The signals that stop the server: the first begins an orderly stop, a later one shortens it. */

/** A terminal and npm both forward Ctrl-C: a second signal within this time is the same one. */
const sameMillis = 1_000

const names = ["SIGTERM", "SIGINT"] as const

/** Returns a function with the effect of a signal. */
export const onStop = (stop: () => void, hurry: () => void): (() => void) => {
  let firstAt: number | undefined
  const hear = () => {
    const now = performance.now()
    if (firstAt === undefined) {
      firstAt = now
      stop()
    } else if (now - firstAt >= sameMillis) hurry()
  }
  for (const name of names) process.on(name, hear)
  return hear
}

const reloadSignal = "SIGHUP"

/** Runs `read` at each SIGHUP, which no longer ends the process then. */
export const onReload = (read: () => void): void => void process.on(reloadSignal, read)

/** Does the same as the signal, in a process that its parent tells. */
export const reload = (): void => void process.emit(reloadSignal, reloadSignal)
