/** A decision model of either dialect. */
import type { Models } from "./Models.ts"

const json = { "content-type": "application/json" }

interface Question {
  readonly type: string
  readonly name?: string
  readonly choices?: ReadonlyArray<{ readonly value: string | boolean }>
  readonly levels?: ReadonlyArray<{ readonly label: string }>
  readonly criteria?: object
}

/** In System One's form. */
const mapAnswer = ({ criteria = {}, type }: Question) => {
  if (type === "noul") return { type, noul: 0.31 }
  const options = Array.isArray(criteria) ? criteria.map((_, level) => `${level}`) : Object.keys(criteria)
  const probabilities = Object.fromEntries(options.map((option, at) => [option, Number(at === 0)]))
  if (type === "choice") return { type, choice: options[0], confidence: 1, probabilities }
  return { type, score: 0, confidence: 1, legend: { ...criteria }, probabilities }
}

/** In OpenAI's form. */
const upstreamAnswer = ({ choices = [], levels = [], name = "", type }: Question) => {
  switch (type) {
    case "predicate":
      return { type, name: name || null, probability: 0.31 }
    case "choice":
      return {
        type,
        name: name || null,
        choice: choices[0]?.value,
        confidence: 1,
        probabilities: choices.map(({ value }, at) => ({ value, probability: Number(at === 0) }))
      }
    default:
      return {
        type,
        name: name || null,
        score: 0,
        confidence: 1,
        probabilities: levels.map(({ label }, at) => ({ value: at, label, probability: Number(at === 0) }))
      }
  }
}

/** Answers every question; fails for the model `bad`, and leaves out an answer for the model `short`. */
export const answering: Parameters<Models["base"]>[0] = (request, response) => {
  const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
  const { model, questions } = JSON.parse(sent)
  if (model === "bad") return void response.writeHead(503, json).end('{"error":  {"message": "Busy"}}')
  const answers = Array.isArray(questions)
    ? questions.map(upstreamAnswer).slice(model === "short" ? 1 : 0)
    : Object.fromEntries(Object.entries<Question>(questions).map(([name, one]) => [name, mapAnswer(one)]))
  const usage = { input_tokens: 50, output_tokens: 0, total_tokens: 50 }
  response.writeHead(200, { ...json, "x-upstream": "1" }).end(JSON.stringify({ model, answers, usage }, null, 1))
}
