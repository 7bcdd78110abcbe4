/** The support desk: a program with the stock `openai` client, that knows of us a base URL, a token and the name of a model. */
import OpenAI from "openai"
import type { Ticket } from "./Tickets.ts"

/** Tickets sorted concurrently. */
const width = 6

export interface SortResult {
  readonly ticket: Ticket
  /** What the model said. */
  readonly label: string
  /** As the answer's header says. */
  readonly servedBy: string
  readonly call: string
  readonly millis: number
}

interface Request {
  readonly model: string
  /** Marks the captured calls. */
  readonly tag: string
  readonly stream?: boolean
}

export interface Desk {
  readonly sort: (ticket: Ticket, request: Request) => Promise<SortResult>
  /** In the order of the tickets. `tell` hears how many are done. */
  readonly sortAll: (
    tickets: ReadonlyArray<Ticket>,
    request: Request,
    tell?: (done: number) => void
  ) => Promise<ReadonlyArray<SortResult>>
  readonly models: () => Promise<ReadonlyArray<string>>
}

/** What a stream says in the end. */
const heard = async (chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> => {
  let text = ""
  for await (const { choices } of chunks) text += choices[0]?.delta.content ?? ""
  return text
}

export const make = (origin: string, apiKey: string, stop: AbortSignal): Desk => {
  const openai = new OpenAI({ baseURL: `${origin}/v1/proxy`, apiKey, maxRetries: 0 })

  const sort: Desk["sort"] = async (ticket, { model, stream, tag }) => {
    const began = performance.now()
    const body = { model, messages: [...ticket.messages] }
    const options = { headers: { "X-Service-Tags": tag }, signal: stop }
    const { data, response } = await (stream === true
      ? openai.chat.completions
          .create({ ...body, stream, stream_options: { include_usage: true } }, options)
          .withResponse()
      : openai.chat.completions.create(body, options).withResponse())
    const label = "choices" in data ? (data.choices[0]?.message.content ?? "") : await heard(data)
    const header = (name: string) => response.headers.get(`x-service-${name}`) ?? ""
    const millis = performance.now() - began
    return { ticket, label, servedBy: header("served-by"), call: header("call-id"), millis }
  }

  return {
    sort,
    sortAll: async (tickets, request, tell = () => {}) => {
      const sorted: Array<SortResult> = []
      const left = tickets.entries()
      let done = 0
      const work = async () => {
        for (const [place, ticket] of left) {
          sorted[place] = await sort(ticket, request)
          tell(++done)
        }
      }
      await Promise.all(Array.from({ length: width }, work))
      return sorted
    },
    models: async () => {
      const ids: Array<string> = []
      for await (const { id } of openai.models.list({ signal: stop })) ids.push(id)
      return ids
    }
  }
}

/** The share that the desk itself would have sorted so. */
export const accuracyOf = (sorted: ReadonlyArray<SortResult>): number =>
  sorted.filter(({ label, ticket }) => label === ticket.label).length / sorted.length

export const servedBy = (sorted: ReadonlyArray<SortResult>, who: string): ReadonlyArray<SortResult> =>
  sorted.filter((one) => one.servedBy === who)

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
