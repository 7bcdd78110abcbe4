/** The teacher: a chat completions server that finds the city of an order, in place of a large model. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const words: Readonly<Record<"names" | "cities" | "items" | "fillers", ReadonlyArray<string>>> = JSON.parse(
  readFileSync(new URL("../words.json", import.meta.url), "utf8")
)

export const model = "teacher-large"
export const apiKey = "sk-teacher-5b1e77aa"

/** A fixed sequence of numbers from 0 to 1. */
const luckFrom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** Orders as customers write them: a note between other words. */
export const orders = (count: number): ReadonlyArray<string> => {
  const luck = luckFrom(7)
  const one = (list: ReadonlyArray<string>) => list[Math.floor(luck() * list.length)] ?? ""
  const note = () => {
    const parts = [`name: ${one(words.names)}`, `city: ${one(words.cities)}`, `goods: ${one(words.items)}`]
    const from = Math.floor(luck() * parts.length)
    return [...parts.slice(from), ...parts.slice(0, from)].join("; ")
  }
  return Array.from({ length: count }, () => `${one(words.fillers)}; ${note()}; ${one(words.fillers)}`)
}

/** JSON, which the base model has never written. */
const answerTo = (text: string): string => JSON.stringify({ city: /city: (\w+)/.exec(text)?.[1] ?? null })

export const start = async (): Promise<{ readonly baseUrl: string; readonly stop: () => void }> => {
  const server = createServer(async (request, response) => {
    const say = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${apiKey}`) return say(401, { error: { message: "Who?" } })
    const asked = JSON.parse((await request.toArray()).join(""))
    const text = String(asked.messages.at(-1).content)
    const content = answerTo(text)
    const [prompt_tokens, completion_tokens] = [Math.ceil(text.length / 4), Math.ceil(content.length / 4)]
    return say(200, {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_795_168_800,
      model,
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo // A listening server has a port.
  return { baseUrl: `http://127.0.0.1:${port}/v1`, stop: () => server.close().closeAllConnections() }
}
