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
  /** Chat completions by default. */
  readonly api?: Api
}

type Api = "chat" | "responses"

/** What the client returns of either API. */
interface Reply {
  readonly label: string
  readonly response: Response
}

export interface Desk {
  readonly sort: (ticket: Ticket, request: Request) => Promise<SortResult>
  /** In the order of the tickets; each goes to the API of its place, over and over. `tell` hears how many are done. */
  readonly sortAll: (
    tickets: ReadonlyArray<Ticket>,
    request: Omit<Request, "api"> & { readonly apis?: ReadonlyArray<Api> },
    tell?: (done: number) => void
  ) => Promise<ReadonlyArray<SortResult>>
  readonly models: () => Promise<ReadonlyArray<string>>
}

/** What a stream says in the end. */
const chatText = async (chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> => {
  let text = ""
  for await (const { choices } of chunks) text += choices[0]?.delta.content ?? ""
  return text
}

const responsesText = async (events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<string> => {
  let text = ""
  for await (const event of events) if (event.type === "response.output_text.delta") text += event.delta
  return text
}

type Options = OpenAI.RequestOptions

const byChat = async (
  openai: OpenAI,
  { messages }: Ticket,
  { model, stream }: Request,
  options: Options
): Promise<Reply> => {
  const body = { model, messages: [...messages] }
  if (stream === true) {
    const asked = openai.chat.completions.create({ ...body, stream, stream_options: { include_usage: true } }, options)
    const { data, response } = await asked.withResponse()
    return { label: await chatText(data), response }
  }
  const { data, response } = await openai.chat.completions.create(body, options).withResponse()
  return { label: data.choices[0]?.message.content ?? "", response }
}

const byResponses = async (
  openai: OpenAI,
  { messages }: Ticket,
  { model, stream }: Request,
  options: Options
): Promise<Reply> => {
  const body = { model, input: [...messages] }
  if (stream === true) {
    const { data, response } = await openai.responses.create({ ...body, stream }, options).withResponse()
    return { label: await responsesText(data), response }
  }
  const { data, response } = await openai.responses.create(body, options).withResponse()
  return { label: data.output_text, response }
}

export const make = (origin: string, apiKey: string, stop: AbortSignal): Desk => {
  const openai = new OpenAI({ baseURL: `${origin}/v1/proxy`, apiKey, maxRetries: 0 })

  const sort: Desk["sort"] = async (ticket, request) => {
    const began = performance.now()
    const options = { headers: { "X-Service-Tags": request.tag }, signal: stop }
    const ask = request.api === "responses" ? byResponses : byChat
    const { label, response } = await ask(openai, ticket, request, options)
    const header = (name: string) => response.headers.get(`x-service-${name}`) ?? ""
    const millis = performance.now() - began
    return { ticket, label, servedBy: header("served-by"), call: header("call-id"), millis }
  }

  return {
    sort,
    sortAll: async (tickets, { apis = ["chat"], ...request }, tell = () => {}) => {
      const sorted: Array<SortResult> = []
      const left = tickets.entries()
      let done = 0
      const work = async () => {
        for (const [place, ticket] of left) {
          sorted[place] = await sort(ticket, { ...request, api: apis[place % apis.length] ?? "chat" })
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

export const resultsOf = (sorted: ReadonlyArray<SortResult>, who: string): ReadonlyArray<SortResult> =>
  sorted.filter((one) => one.servedBy === who)

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
