/** Asks processes for their metrics, and makes one page of what comes in time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Limits } from "../Limits.ts"
import { joined } from "./Pages.ts"

/** Who can be asked: the number of a process, and how a question reaches it. */
export interface Asked {
  readonly number: number
  readonly ask: (question: number) => void
}

export const make = () => {
  const waiting = new Map<string, Deferred.Deferred<string>>()
  let questions = 0

  const pageOf = ({ ask, number }: Asked, question: number) =>
    Effect.suspend(() => {
      const key = `${number} ${question}`
      const page = Deferred.makeUnsafe<string>()
      waiting.set(key, page)
      ask(question)
      return Deferred.await(page).pipe(
        Effect.timeoutOption(Limits.metricsMillis),
        Effect.map(Option.map((text) => [number, text] as const)),
        Effect.ensuring(Effect.sync(() => waiting.delete(key)))
      )
    })

  return {
    answered: (number: number, question: number, page: string): void => {
      const answer = waiting.get(`${number} ${question}`)
      if (answer !== undefined) Deferred.doneUnsafe(answer, Effect.succeed(page))
    },
    /** One that does not answer within a second is left out. */
    page: (all: ReadonlyArray<Asked>): Effect.Effect<string> =>
      Effect.suspend(() => {
        const question = ++questions
        const pages = Effect.forEach(all, (one) => pageOf(one, question), { concurrency: "unbounded" })
        return Effect.map(pages, (answers) => joined(new Map(answers.flatMap(Option.toArray))))
      })
  }
}
