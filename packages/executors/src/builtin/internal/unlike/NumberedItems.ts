/**
 * Several numbered messages in one text, such as four tickets as "1. …", "2. …". A student gives one answer for a text, so where
 * hardly any train row is such a list, a list asks for another thing.
 */

/** The share of the rows that may be lists before a list is nothing new. */
const share = 0.01

/** The number that a line begins with, in one of the usual writings: "1.", "2)", "(3)", "[4]", "#5:", "Ticket 6:". */
const item = /^\s*(?:\p{L}{1,20}\s+)?[([#]{0,2}(\d{1,3})(?:\s*[.):\]]+|\s*[-–]\s)\s*\S/u

/** Whether lines of the text are numbered 1, 2 and so on. */
export const isList = (text: string): boolean => {
  let last = 0
  for (const line of text.split("\n")) {
    const [, number] = item.exec(line) ?? []
    if (number === undefined) continue
    if (Number(number) === last + 1) last++
    else if (Number(number) === 1) last = 1
    if (last === 2) return true
  }
  return false
}

/** Whether a list is new to a student of these rows. */
export const areNew = (texts: ReadonlyArray<string>): boolean => texts.filter(isList).length <= share * texts.length
