/** Performs scenarios in a workspace of a house, one request after the other, and writes down what its client sees. */
import { eventually } from "@limbeck/testing/Eventually"
import type { Send } from "@limbeck/testing/http/Client"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { contentPath } from "@limbeck/testing/http/Steps"
import type { Answer, Client, ListOf } from "../support/Client.ts"
import type { House } from "../support/House.ts"
import { collections } from "./Collections.ts"
import type { Step } from "./Step.ts"
import { Trace } from "./Trace.ts"

interface Body {
  readonly id?: string
  readonly next_cursor?: string | null
  readonly status?: string
}

/** Where resources are read that workers go on with, and the statuses that no worker changes. */
const settling: Readonly<Record<string, { readonly path: string; readonly settled: ReadonlyArray<string> }>> = {
  upl_: { path: "/v1/distill/uploads", settled: ["awaiting_upload", "succeeded", "failed"] },
  dsv_: { path: "/v1/distill/dataset_versions", settled: ["ready", "failed"] },
  run_: { path: "/v1/distill/runs", settled: ["succeeded", "failed", "canceled"] },
  dep_: { path: "/v1/distill/deployments", settled: ["ready", "failed", "retired"] }
}

const prefixOf = (id: string): string => id.slice(0, id.indexOf("_") + 1)

/** As `Step` describes it. */
const reference = /\{([a-z]+_):(any|)(\d+)\}/g

const unknownBody = "0".repeat(26)

export class Player {
  readonly traces = { live: new Trace(), test: new Trace() } as const
  readonly #modes: { readonly live: Client; readonly test: Client }
  readonly #cursors = new Map<string, string>()
  /** The URL of the model, which also serves students. */
  readonly #base: string
  /** The players' own tokens, which no step may revoke. */
  readonly #own: ReadonlySet<string>

  private constructor(
    modes: { readonly live: Client; readonly test: Client },
    base: string,
    own: ReadonlyArray<string>
  ) {
    this.#base = base
    this.#modes = modes
    this.#own = new Set(own)
  }

  /** A workspace whose default sources ask the model at `base_url`, by `fetch` or another transport. */
  static async open(house: House, base_url: string, send?: Send): Promise<Player> {
    const workspace = await house.workspace()
    const over = (caller: Client) => (send === undefined ? caller : caller.over(send))
    const [live, test] = [over(workspace.live), over(workspace.test)]
    for (const caller of [live, test])
      await createSource(caller, { name: "model", base_url, default: true, models: ["gpt"] })
    const own = await Promise.all([live, test].map((caller) => caller.get<ListOf<Body>>("/v1/tokens")))
    return new Player(
      { live, test },
      base_url,
      own.flatMap(({ body }) => body.data.map(({ id = "" }) => id))
    )
  }

  async #perform(step: Step): Promise<void> {
    const caller = this.#modes[step.mode]
    const path = this.#resolve(step.path, step.mode) + this.#page(step)
    const answer = await this.#send(caller, step, path)
    this.#note(step, `${step.mode} ${step.method} ${step.path} ${JSON.stringify(step.body)}`, answer)
    const { next_cursor } = answer.body ?? {}
    if (typeof next_cursor === "string") this.#cursors.set(step.path, next_cursor)
    if (answer.status >= 200 && answer.status < 300) await this.#settle(caller, step, answer)
  }

  /** Performs all steps, and reads the lists of all kinds at the end. */
  async play(steps: ReadonlyArray<Step>): Promise<void> {
    for (const step of steps) await this.#perform(step)
    for (const mode of ["live", "test"] as const) {
      for (const [path] of collections) await this.#perform({ method: "GET", path: `${path}?limit=100`, mode })
    }
  }

  #note({ mode }: Step, request: string, { body, status }: Answer<unknown>): void {
    this.traces[mode].add(request, status, body)
  }

  #send(caller: Client, { body, headers = {}, key, method, mode }: Step, path: string): Promise<Answer<Body>> {
    const keyed = key === undefined ? headers : { ...headers, "idempotency-key": key }
    const typed = body === undefined ? keyed : { ...keyed, "content-type": "application/json" }
    const sent = body === undefined ? null : this.#resolve(JSON.stringify(body), mode)
    return caller.send<Body>(method, path, { headers: typed, body: sent })
  }

  /** Waits for the workers that go on with what a step began. */
  async #settle(caller: Client, step: Step, { body, headers }: Answer<Body>): Promise<void> {
    const call = headers.get("x-service-call-id")
    if (call !== null) await this.#untilCaptured(caller, call)
    const { id = "" } = body ?? {}
    const kind = settling[prefixOf(id)]
    if (kind === undefined || step.method === "GET") return
    if (step.content !== undefined) await this.#upload(caller, step, body)
    const path = `${kind.path}/${id}`
    const settled = await eventually("its workers are done", async () => {
      const answer = await caller.get<Body>(path)
      return kind.settled.includes(answer.body.status ?? "") && answer
    })
    this.#note(step, `GET ${kind.path} at its end`, settled)
  }

  async #upload(caller: Client, step: Step, body: unknown): Promise<void> {
    const path = contentPath(body as Parameters<typeof contentPath>[0]) // A step with content announces an upload.
    this.#note(step, "PUT content", await caller.send("PUT", path, { body: step.content ?? "" }))
  }

  #untilCaptured(caller: Client, call: string): Promise<unknown> {
    return eventually("the call is stored", async () => (await caller.get(`/v1/distill/calls/${call}`)).status === 200)
  }

  #page({ isNextPage, path }: Step): string {
    const cursor = isNextPage ? this.#cursors.get(path) : undefined
    return cursor === undefined ? "" : `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`
  }

  #resolve(text: string, mode: Step["mode"]): string {
    const { live, test } = this.traces
    return text
      .replaceAll("{base}", this.#base)
      .replaceAll(reference, (_, prefix: string, any: string, index: string) => {
        const seen = any === "any" ? [...live.ids, ...test.ids] : this.traces[mode].ids
        const known = seen.filter((id) => id.startsWith(prefix) && !this.#own.has(id))
        return known[Number(index) % Math.max(1, known.length)] ?? prefix + unknownBody
      })
  }
}
