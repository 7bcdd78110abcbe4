/**
 * Finds what is personal or secret in a text (contract 6), each kind in time linear in the text: patterns have bounded
 * repeats only, and whatever has no bound is found by walking runs of characters once.
 */
interface Match {
  readonly from: number
  readonly to: number
}

/** Yields matches in order and, between matches, the cost of the search: see `Turns.Steps`. */
export type Finder = (text: string) => Generator<Match | number, void, void>

/** The cost of one candidate position. */
const lookCost = 16

function* matches(text: string, pattern: RegExp): ReturnType<Finder> {
  for (const { 0: match, index } of text.matchAll(pattern)) {
    yield lookCost
    yield { from: index, to: index + match.length }
  }
}

/** Of scripts that put spaces between words: in others an address would run into the text around it. */
const letter = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}`
const localCharacter = new RegExp(`^[a-zA-Z0-9._%+'${letter}-]$`, "u")
const domainCharacter = new RegExp(`^[a-zA-Z0-9.${letter}-]$`, "u")
/** Local parts and domains are shorter (RFC 5321); of a longer text, the nearest part matches. */
const localMax = 64
const domainMax = 255

/** The domain at the beginning of a text: labels with dots between, the last of them at least two letters. */
const domainPattern = new RegExp(`^[${letter}0-9-]{1,63}(?:\\.[${letter}0-9-]{1,63})*`, "u")
const topLevel = new RegExp(`^[${letter}]{2,}$`, "u")

const domainLength = (text: string): number => {
  const labels = domainPattern.exec(text)?.[0].split(".") ?? []
  while (labels.length > 1 && !topLevel.test(labels.at(-1) ?? "")) labels.pop()
  return labels.length > 1 ? labels.join(".").length : 0
}

/** From each `@` outwards: as far as a local part reaches to the left, and a domain to the right. */
export const emails: Finder = function* (text) {
  let free = 0
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    yield lookCost
    let from = at
    while (from > free && at - from < localMax && localCharacter.test(text[from - 1]!)) from--
    let end = at + 1
    while (end < text.length && end - at <= domainMax && domainCharacter.test(text[end]!)) end++
    const length = from === at ? 0 : domainLength(text.slice(at + 1, end))
    if (length === 0) continue
    free = at + 1 + length
    yield { from, to: free }
  }
}

/** No number begins in the middle of a word or another number, or ends there. */
const begin = String.raw`(?<![\w+.-])`
const end = String.raw`(?![\w+-]|\.\d)`
const phonePattern = new RegExp(
  [
    // With a country code.
    String.raw`(?<![\w+])\+\d(?:[ .()/-]{0,2}\d){7,14}(?![\w+])`,
    // As in North America.
    String.raw`(?:${begin}1[ .-]?)?\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}${end}`,
    String.raw`${begin}(?:1[ .-]?)?\d{3}[ .-]\d{3}[ .-]\d{4}${end}`,
    // With the leading zero of elsewhere.
    String.raw`(?:\(0\d{1,4}\) ?|${begin}0\d{1,4}[ /-])(?:\d{5,8}|\d{3,4}[ -]\d{3,4})${end}`
  ].join("|"),
  "g"
)

export const phones: Finder = (text) => matches(text, phonePattern)

/** The check digit of ISO/IEC 7812. */
const hasCheckDigit = (digits: string): boolean => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const weighed = place % 2 === 0 ? digit : digit * 2
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

const cardMin = 13
const cardMax = 19
const isCard = (digits: string): boolean => /^[2-6]/.test(digits) && hasCheckDigit(digits)

/** The end of the longest card that begins with the first of these groups of digits. */
const cardIn = (groups: ReadonlyArray<RegExpExecArray>): number | undefined => {
  let digits = ""
  let last: number | undefined
  for (let index = 0; index < groups.length && digits.length <= cardMax; index++) {
    digits += groups[index]![0]
    if (digits.length >= cardMin && digits.length <= cardMax && isCard(digits)) last = index
  }
  return last
}

/** Digits alone, or groups separated by one space or dash; no letter or point may touch the run. */
/** No card has more groups than digits. */
const fill = (groups: Array<RegExpExecArray>, coming: Iterator<RegExpExecArray>): void => {
  while (groups.length < cardMax) {
    const next = coming.next()
    if (next.done) return
    groups.push(next.value)
  }
}

export const creditCards: Finder = function* (text) {
  for (const run of text.matchAll(/(?<![\w.])\d+(?:[ -]\d+)*(?!\w|\.\d)/g)) {
    const coming = run[0].matchAll(/\d+/g)
    // A leading plus marks a telephone number.
    if (text[run.index - 1] === "+") coming.next()
    const groups: Array<RegExpExecArray> = []
    for (fill(groups, coming); groups.length > 0; fill(groups, coming)) {
      yield 2 * lookCost
      const last = cardIn(groups)
      const [first, end] = [groups[0]!, groups[last ?? 0]!]
      groups.splice(0, (last ?? 0) + 1)
      if (last !== undefined) yield { from: run.index + first.index, to: run.index + end.index + end[0].length }
    }
  }
}

/** Prefixes of well-known services' keys, with the minimum length of the rest. */
const keyPatterns: ReadonlyArray<RegExp> = [
  /^(?:sk|pk|rk)-(?=.*\d)[\w-]{16,}$/,
  /^(?:sk|pk|rk|whsec|svc)_(?:live_|test_)?(?=.*\d)\w{16,}$/,
  /^(?:ghp|gho|ghu|ghs|ghr|hf|npm|github_pat|glpat|dop_v1)[_-][\w-]{20,}$/,
  /^xox[abeoprs]-[\w-]{10,}$/,
  /^(?:AKIA|ASIA)[0-9A-Z]{16}$/,
  /^AIza[\w-]{35}$/
]
/** A JSON web token, and a SendGrid key: three parts with points between. */
const dottedPatterns: ReadonlyArray<RegExp> = [/^eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*$/, /^SG\.[\w-]{16,}\.[\w-]{16,}$/]
/** The text before a secret without a recognizable form. */
const announcement =
  /(?:\b(?:[\w-]{0,20}api[ _-]?key|apikey|access[_-]?token|auth[_-]?token|secret[_-]?key|client[_-]?secret)["']?\s{0,3}[:=]\s{0,3}["']?|\bbearer {1,3})$/i
const announcedMax = 64
const isOpaque = (run: string): boolean => /^[\w.-]{16,}$/.test(run) && /\d/.test(run)

/** The keys in one run of letters, digits, `_`, `-` and points, which begins at `at`, after the text before it. */
function* keysIn(run: string, at: number, before: string): ReturnType<Finder> {
  yield lookCost + run.length
  const whole = run.replace(/[.-]{1,8}$/, "")
  if (dottedPatterns.some((pattern) => pattern.test(whole)) || (isOpaque(whole) && announcement.test(before))) {
    yield { from: at, to: at + whole.length }
    return
  }
  for (const { 0: part, index } of run.matchAll(/[\w-]+/g)) {
    yield lookCost
    const from = at + index
    if (keyPatterns.some((pattern) => pattern.test(part))) yield { from, to: from + part.length }
  }
}

export const apiKeys: Finder = function* (text) {
  for (const { 0: run, index } of text.matchAll(/(?<![\w.-])[\w.-]{16,}/g)) {
    yield* keysIn(run, index, text.slice(Math.max(0, index - announcedMax), index))
  }
}
