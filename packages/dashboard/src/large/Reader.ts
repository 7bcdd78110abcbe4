/** The page's side of the worker that reads large answers. */
import type { Client } from "@limbeck/client"
import { useEffect, useMemo, useState } from "react"
import { clientOf } from "../app/Credentials.ts"
import { useSession } from "../app/Session.tsx"
import type { AnswerKind, Question } from "./Questions.ts"

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

export class Reader {
  #worker: Worker | undefined
  #asked = 0
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()

  #open(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if (data.error === undefined) waiting?.resolve(data.value)
      else waiting?.reject(new Error(data.error))
    })
    worker.addEventListener("error", ({ message }) => this.#end(message || "A part of the page did not load"))
    return worker
  }

  #end(why: string): void {
    this.#worker?.terminate()
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(new Error(why))
    this.#waiting.clear()
  }

  /** The caller says what the answer to its question is. */
  ask<A>(question: Question): Promise<A> {
    const { promise, reject, resolve } = Promise.withResolvers<unknown>()
    const id = ++this.#asked
    this.#waiting.set(id, { resolve, reject })
    this.#worker ??= this.#open()
    this.#worker.postMessage({ id, question }, "bytes" in question ? [question.bytes] : [])
    return promise as Promise<A>
  }

  /** Frees what it has read. */
  close(): void {
    this.#end("The page was left")
  }
}

/** A client with reduced responses of this kind, and the reader with the rest. */
export const useReader = (kind: AnswerKind): { readonly client: Client; readonly reader: Reader } => {
  const { as } = useSession()
  const [reader] = useState(() => new Reader())
  useEffect(() => () => reader.close(), [reader])
  const client = useMemo(() => clientOf(as, (bytes) => reader.ask<string>({ kind, bytes })), [as, kind, reader])
  return { client, reader }
}
