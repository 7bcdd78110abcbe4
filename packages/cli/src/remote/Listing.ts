/** Lists, which `limbeck … list` shows line by line. */
import type { Output } from "../Output.ts"

/** `none`: the text for an empty list. Returns the exit code of the process. */
export const printList = async <A>(
  output: Output,
  items: AsyncIterable<A>,
  lineOf: (item: A) => string,
  none: string
): Promise<number> => {
  let isEmpty = true
  for await (const item of items) {
    isEmpty = false
    output.result(item, lineOf(item))
  }
  if (isEmpty) output.note(none)
  return 0
}
