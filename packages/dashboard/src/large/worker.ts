/** Reads large answers of the API beside the page: JSON of 32 MiB may take seconds to parse, and the page goes on meanwhile. */
import { makeAnswers, type Question } from "./Questions.ts"

const answer = makeAnswers()

const answered = (question: Question) => {
  try {
    return { value: answer(question) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

addEventListener("message", ({ data }: MessageEvent<{ readonly id: number; readonly question: Question }>) => {
  postMessage({ id: data.id, ...answered(data.question) })
})
