/** Support tickets, and a teacher on this machine that sorts them: it takes its time, costs money and errs now and then. */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { key, type Models } from "@limbeck/testing/upstream/Models"

export interface Ticket {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly completion: string
}

const folder = new URL("../../../examples/tour/data/", import.meta.url)

export const read = (name: "tickets" | "later"): ReadonlyArray<Ticket> =>
  readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

export const model = { id: "large", input_per_million: 2.5, output_per_million: 10 }

const labels = ["account", "billing", "bug", "feature_request", "shipping"]
const textOf = ({ messages }: Pick<Ticket, "messages">) => messages.at(-1)?.content ?? ""

/** The base URL of a teacher that knows these tickets; of each 25 it gets one wrong. */
export const teacher = (models: Models, tickets: ReadonlyArray<Ticket>): string => {
  const known = new Map(tickets.map((ticket, number) => [textOf(ticket), { ...ticket, number }]))
  const answerTo = (text: string) => {
    const { completion = "bug", number = 0 } = known.get(text) ?? {}
    return number % 25 === 7 ? (labels[number % labels.length] ?? completion) : completion
  }
  return models.base(async (request, response) => {
    const say = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${key}`) return say(401, { error: { message: "Incorrect key" } })
    if (request.method === "GET") return say(200, { object: "list", data: [{ id: model.id, object: "model" }] })
    const asked = JSON.parse((request as typeof request & { readonly sent: string }).sent) as Ticket
    const text = textOf(asked)
    await sleep(250 + ((text.length * 37) % 400))
    const content = answerTo(text)
    const usage = { prompt_tokens: Math.ceil(JSON.stringify(asked.messages).length / 4), completion_tokens: 3 }
    say(200, {
      id: `chatcmpl-${text.length}`,
      object: "chat.completion",
      created: 1_795_168_800,
      model: model.id,
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }
    })
  })
}
