/** Applies one family of abuse at a time to the server at `origin`. Started by `Child`, apart from the measured process. */
import { Answers, type Family } from "./Abuse.ts"
import { bodies } from "./AbuseBodies.ts"
import { calls } from "./AbuseCalls.ts"
import { queries } from "./AbuseQueries.ts"
import { rows } from "./AbuseRows.ts"
import { report } from "./Child.ts"

const families = { queries, bodies, rows, calls } satisfies Readonly<Record<string, Family>>
export type Name = keyof typeof families

export interface Command {
  readonly family: Name
  /** Duration of the abuse, followed by the end of its pending work. */
  readonly seconds: number
}

const [origin = ""] = process.argv.slice(2)

report("abuser", async (command) => {
  // Only the benchmark sends commands, and it sends these.
  const { family, seconds } = command as Command
  const answers = new Answers()
  const endsAt = performance.now() + seconds * 1_000
  await families[family]({ origin, answers, isOver: () => performance.now() > endsAt })
  return String(answers)
})
