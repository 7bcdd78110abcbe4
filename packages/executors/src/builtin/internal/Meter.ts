/**
 * The seconds that a training has spent, reserved before they are spent. Only steps of work count, never the time
 * between.
 */

export interface Meter {
  /** Runs a step of work and counts its time. */
  readonly step: <A>(work: () => A) => A
  /**
   * Whether the reservation covers a step of `ahead` seconds, by default as long as the last step; reserves more if it
   * does not.
   */
  readonly pay: (ahead?: number) => Promise<boolean>
  /** Since the first attempt began, and never more than was granted. */
  readonly spentSeconds: () => number
}

export const make = (options: {
  /** The seconds of earlier attempts, if this attempt resumes them. */
  readonly start: number
  /** The seconds of one reservation, beyond the next step. */
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
    spentSeconds: () => Math.min(spent, granted)
  }
}
