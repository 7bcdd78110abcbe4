/** Assigns pieces of tool calls to their call. The index decides; some servers send none, or a wrong one. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import { type Fields, fieldsOf, isText, mergeAll } from "./Merging.ts"

type Piece = Schema.JsonObject

const namesFunction = ({ function: called }: Piece): boolean => isObject(called) && isText(called["name"])

/** Some servers count every call as the first. */
const isAnother = (call: Fields, piece: Piece): boolean =>
  isText(call.get("id")) && isText(piece["id"]) && call.get("id") !== piece["id"] && namesFunction(piece)

const placeOf = (call: Fields): number => Number(call.get("index") ?? Number.POSITIVE_INFINITY)

export class ToolCalls {
  readonly #calls: Array<Fields> = []
  /** The last of each. */
  readonly #byIndex = new Map<number, Fields>()
  readonly #byId = new Map<string, Fields>()

  add(pieces: ReadonlyArray<unknown>): void {
    for (const piece of pieces.filter(isObject)) {
      const call = this.#callOf(piece)
      if (call === undefined) this.#begin(piece)
      else mergeAll(call, piece)
    }
  }

  /** In the form of an answer without streaming: in order, without the index. */
  get finished(): ReadonlyArray<Fields> {
    return this.#calls
      .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : Number(placeOf(a) > placeOf(b))))
      .map((call) => new Map([...call].filter(([name]) => name !== "index")))
  }

  #callOf(piece: Piece): Fields | undefined {
    const { id, index } = piece
    if (typeof index === "number") {
      const call = this.#byIndex.get(index)
      return call !== undefined && isAnother(call, piece) ? undefined : call
    }
    if (isText(id)) return this.#byId.get(id)
    return namesFunction(piece) ? undefined : this.#calls.at(-1)
  }

  #begin(piece: Piece): void {
    const { id, index } = piece
    const call = fieldsOf(piece)
    this.#calls.push(call)
    if (typeof index === "number") this.#byIndex.set(index, call)
    if (isText(id)) this.#byId.set(id, call)
  }
}
