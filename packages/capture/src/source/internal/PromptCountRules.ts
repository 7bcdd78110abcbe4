/** Counts the prompts of a legacy completion: the upstream writes `n` choices for each. Pure. */
import * as Turns from "@limbeck/core/turns/Turns"

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])

/** The commas between the items of the outermost list of a JSON text. */
function* separators(list: string): Turns.Steps<number> {
  let depth = 0
  let count = 0
  let isText = false
  let nextTurnAt = Turns.turnCost
  for (let at = 0; at < list.length; at++) {
    if (at >= nextTurnAt) {
      yield Turns.turnCost
      nextTurnAt = at + Turns.turnCost
    }
    const code = list.charCodeAt(at)
    if (code === quote) isText = !isText
    else if (isText) at += code === backslash ? 1 : 0
    else if (opening.has(code)) depth++
    else if (closing.has(code)) depth--
    else if (code === comma && depth === 1) count++
  }
  return count
}

/**
 * `prompt` is the JSON text of the member; undefined if the body has none. A list of numbers counts as one tokenized prompt.
 */
export function* promptsIn(prompt: string | undefined): Turns.Steps<number> {
  if (prompt?.startsWith("[") !== true || /^\[\s*-?\d/.test(prompt)) return 1
  return (yield* separators(prompt)) + 1
}
