/** What a training has come to, in seconds, asked for before it is spent. Only steps of work count, never the time between. */

export interface Meter {
  /** Does a step of work and counts it. */
  readonly step: <A>(work: () => A) => A
  /** Whether a step of so many seconds is paid for; asks if it may not be. By default it is as long as the last one. */
  readonly pay: (ahead?: number) => Promise<boolean>
  /** Since the first attempt began, and never more than was granted. */
  readonly spent: () => number
}

export const make = (options: {
  /** What earlier attempts had come to, where this one goes on. */
  readonly start: number
  /** What is asked for at a time, beyond the next step. */
  readonly quantum: number
  readonly seconds: () => number
  readonly ask: (upTo: number) => Promise<boolean>
}): Meter => {
  const { ask, quantum, seconds, start } = options
  let spent = start
  let granted = start
  let last = 0
  return {
    step: (work) => {
      const before = seconds()
      const done = work()
      last = seconds() - before
      spent += last
      return done
    },
    pay: async (ahead = last) => {
      if (granted - spent > ahead) return true
      const upTo = spent + ahead + quantum
      if (!(await ask(upTo))) return false
      granted = upTo
      return true
    },
    spent: () => Math.min(spent, granted)
  }
}
