/** A decision model that answers every question, and counts how often it was asked about each evidence. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { AtEnd } from "@limbeck/testing/AtEnd"

interface Question {
  readonly type: string
  readonly name?: string
  readonly choices?: ReadonlyArray<{ readonly value: string }>
}

const answerTo = ({ choices = [], name: given, type }: Question) => {
  const name = given ?? null
  if (type === "predicate") return { type, name, probability: 0.31 }
  const probabilities = choices.map(({ value }, at) => ({ value, probability: at === 0 ? 0.9 : 0.1 }))
  return { type, name, choice: choices[0]?.value, confidence: 0.8, probabilities }
}

const answersTo = (questions: unknown) =>
  Array.isArray(questions)
    ? questions.map(answerTo)
    : Object.fromEntries(Object.keys(Object(questions)).map((name) => [name, { type: "noul", noul: 0.75 }]))

/** `hold`: called before each answer, with how many were asked so far. */
export const decisionModel = async (atEnd: AtEnd, hold: (asked: number) => Promise<void> = async () => {}) => {
  const asked = new Map<string, number>()
  const bodies: Array<Record<string, unknown>> = []
  const server = createServer((request, response) => {
    const respond = async () => {
      const body = JSON.parse(await text(request))
      bodies.push(body)
      const evidence = JSON.stringify(body.input ?? body.state)
      asked.set(evidence, (asked.get(evidence) ?? 0) + 1)
      await hold(bodies.length)
      if (evidence.includes("break")) return response.writeHead(503).end("{}")
      const usage = { input_tokens: 100, output_tokens: 0, total_tokens: 100 }
      const answer = JSON.stringify({ model: body.model, answers: answersTo(body.questions), usage })
      return response.writeHead(200, { "content-type": "application/json" }).end(answer)
    }
    respond().catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  return { base_url: `http://127.0.0.1:${port}/v1`, asked, bodies }
}
