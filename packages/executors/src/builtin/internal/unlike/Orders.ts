/**
 * Orders to a model: sentences that begin with a word such as "translate". A word with which the train rows begin sentences of
 * their own tells nothing, and is left out.
 */
const words =
  "write compose create draft generate invent suggest design describe explain discuss compare summarize summarise translate " +
  "convert shorten paraphrase rewrite rephrase proofread correct simplify expand elaborate continue complete transform turn " +
  "format sort extract list count identify highlight analyze analyse comment act pretend imagine roleplay ignore forget " +
  "disregard print repeat answer respond reply implement refactor debug optimize solve compute calculate prove " +
  "evaluate derive recommend plan give tell show teach classify rank brainstorm outline define provide produce " +
  "output speak sing recite develop prepare critique improve edit rate guess " +
  // German, French, Spanish, Italian, Portuguese, Dutch
  "schreibe schreib übersetze erkläre fasse beschreibe antworte ignoriere nenne erstelle écris traduis explique résume " +
  "décris réponds ignore rédige donne escribe traduce explica describe responde ignora redacta dame scrivi traduci " +
  "spiega riassumi descrivi rispondi escreva traduza explique resuma descreva schrijf vertaal beschrijf"

const pairs = ["you are", "from now", "assume that"]

const openings: ReadonlySet<string> = new Set([...words.split(" "), ...pairs])

/** Said before an order. */
const polite: ReadonlySet<string> = new Set(["please", "now", "then", "first", "also", "bitte", "kindly", "ok", "okay"])

/** The share of the rows that may hold a word of the remaining ones. */
const share = 0.002

const sentence = /(?<=[.!?:;。！？])\s+|\n+/u
const first = /^\s*[^\n.!?:;。！？]*/u
const word = /[\p{L}\p{M}]+/gu
/** The characters of a sentence in which its first words are looked for. */
const beginning = 100

export const firstSentence = (text: string): string => first.exec(text)?.[0].trim() ?? ""

/** The first two words, besides polite ones. */
const firstOf = (one: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [token] of one.slice(0, beginning).matchAll(word)) {
    if (!polite.has(token)) found.push(token)
    if (found.length === 2) break
  }
  return found
}

/** The openings of orders among those of a text's sentences. */
const among = (text: string, known: ReadonlySet<string>): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .split(sentence)
    .flatMap((one) => {
      const [first = "", second = ""] = firstOf(one)
      return [first, `${first} ${second}`].filter((opening) => known.has(opening))
    })

/** The openings that nearly no row has, from the rarest on, until too many rows have one. */
export const learn = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rows = new Map<string, number>([...openings].map((opening) => [opening, 0]))
  for (const text of texts) {
    for (const opening of new Set(among(text, openings))) rows.set(opening, rows.get(opening)! + 1)
  }
  let left = share * texts.length
  return [...rows]
    .sort(([, one], [, other]) => one - other)
    .flatMap(([opening, count]) => {
      left -= count
      return left < 0 ? [] : [opening]
    })
}

/** Whether a text gives an order. */
export const detector = (learnt: ReadonlyArray<string>): ((text: string) => boolean) => {
  const known = new Set(learnt)
  return (text) => among(text, known).length > 0
}
