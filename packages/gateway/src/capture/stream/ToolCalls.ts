/** Which call a piece of a tool call belongs to. Its index says so; not every server gives one, or one that is right. */
import { type Fields, fieldsOf, isObject, isText, mergeAll } from "./Merging.ts"

type Piece = Readonly<Record<string, unknown>>

const namesFunction = ({ function: called }: Piece): boolean => isObject(called) && isText(called["name"])

/** Some servers count every call as the first. */
const isAnother = (call: Fields, piece: Piece): boolean =>
  isText(call.get("id")) && isText(piece["id"]) && call.get("id") !== piece["id"] && namesFunction(piece)

const callOf = (calls: ReadonlyArray<Fields>, piece: Piece): Fields | undefined => {
  const { id, index } = piece
  if (typeof index === "number") {
    const call = calls.findLast((other) => other.get("index") === index)
    return call !== undefined && isAnother(call, piece) ? undefined : call
  }
  if (isText(id)) return calls.find((other) => other.get("id") === id)
  return namesFunction(piece) ? undefined : calls.at(-1)
}

export const add = (calls: Array<Fields>, pieces: ReadonlyArray<unknown>): void => {
  for (const piece of pieces.filter(isObject)) {
    const call = callOf(calls, piece)
    if (call === undefined) calls.push(fieldsOf(piece))
    else mergeAll(call, piece)
  }
}

const placeOf = (call: Fields): number => Number(call.get("index") ?? Number.POSITIVE_INFINITY)

/** As an answer that is no stream has them: in order, without their index. */
export const finished = (calls: ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
  [...calls]
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : Number(placeOf(a) > placeOf(b))))
    .map((call) => new Map([...call].filter(([name]) => name !== "index")))
