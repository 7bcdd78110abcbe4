/**
 * Removes credentials from a trainer's output before storage (contract 5). Prefers hiding a harmless word to showing a key.
 * Every pattern is bounded before its first fixed part, so that a long line takes linear time.
 */
import type * as Schema from "effect/Schema"

const redacted = "[redacted]"

/** A quote, plain or escaped inside another text. */
const quote = String.raw`\\{0,3}["']`
/** A value behind `name=` or `"name": `, quoted or not; a quote that never closes holds the rest of the line. */
const value = String.raw`(?:\[redacted\]|\\{1,3}"[^"\n]*"?|"(?:[^"\\\n]|\\.)*"?|\\{1,3}'[^'\n]*'?|'(?:[^'\\\n]|\\.)*'?|[^\s"',;&]+)`
const assignment = String.raw`(?:${quote})?\s{0,20}(?:=>|[:=])\s{0,20}`
const namedValue = (names: string, flags = "gi") => new RegExp(`((?:${names})${assignment})${value}`, flags)
const scheme = "(?:basic|bearer|digest|token)"
/** A name in front of what only a letter or digit would make a part of another word. */
const fresh = "(?<![0-9A-Za-z])"

const sensitive = [
  "(?:api|access|secret|private|signing|encryption|account|shared)[_ -]?(?:access[_ -]?)?(?:key|token)",
  "(?:auth|bearer|hf|id|refresh|security|session)[_-]?token",
  "secret|password|passwd|passphrase|pwd|x-amz-signature|x-amz-credential|(?:set-)?cookie"
].join("|")

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // The header, with its scheme, if any; a scheme alone is no secret, and announces one on the next line.
  [
    new RegExp(
      `(authorization${assignment})(?:(?:${quote})?${scheme}\\s+[^\\s"',]+|(?!(?:${quote})?${scheme}\\s*$)${value})`,
      "gi"
    ),
    `$1${redacted}`
  ],
  // Eight characters of any kind, or fewer with a digit among them.
  [
    /\b(bearer)(?:["']?\s{0,20}[:=]\s{0,20}|\s+|%20)["']?(?:[\w.~+/=-]{8,}|(?=[a-z.~+/=_-]{0,8}\d)[\w.~+/=-]+)/gi,
    `$1 ${redacted}`
  ],
  // All cookies, to the end of the line.
  [/\b((?:set-)?cookie["']?\s{0,20}:\s{0,20})[^\r\n]+/gi, `$1${redacted}`],
  [namedValue(sensitive), `$1${redacted}`],
  // Flags whose value is the next word.
  [
    new RegExp(`(--(?:[a-z]{1,20}-)?(?:key|token|secret|password|passwd|passphrase)\\s+)(?!-)${value}`, "gi"),
    `$1${redacted}`
  ],
  [/([?&](?:key|token|sig|signature|code|auth)=)[^\s"'&#]+/gi, `$1${redacted}`],
  // Environment variables shout.
  [namedValue("[A-Z0-9]_(?:TOKEN|KEY|SECRET|PASSWORD|PASS)", "g"), `$1${redacted}`],
  // Ours, under any brand; some payment providers' look alike.
  [/(?<![a-z])[a-z]{2,16}_(?:live|test)_[0-9A-Za-z]{8,}/g, redacted],
  [/whsec_[0-9A-Za-z+/=_-]+/g, redacted],
  [new RegExp(`${fresh}sk[-_][\\w-]{8,}`, "g"), redacted],
  [new RegExp(`${fresh}(?:pk|rk|hf|npm|glpat|gh[pousr]|github_pat|xox[a-z])[-_][\\w-]{16,}`, "g"), redacted],
  [/(?<![0-9A-Z])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g, redacted],
  [/AIza[\w-]{35}/g, redacted],
  [/ya29\.[\w-]{8,}/g, redacted],
  // JSON Web Tokens.
  [new RegExp(`${fresh}eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*`, "g"), redacted],
  [/(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----END)[\s\S])*/g, `$1${redacted}`],
  // A password may contain characters that would end it elsewhere; a port is no password.
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:]{0,256}:(?!\d{1,5}(?:[/?#\s]|$))[^\s@]{0,256}@/gi, `$1${redacted}@`],
  // The last @ before the path ends the credentials: a password may hold one itself.
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]{0,1024}@/gi, `$1${redacted}@`]
]

export const sanitize = (message: string): string =>
  patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message)

/** Whether a field of this name holds a credential, whatever that looks like. */
const isSensitive = (name: string): boolean => sanitize(`${name}=x`) !== `${name}=x`

/** Replaces characters that no text column takes: lone surrogates and NUL. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\ufffd")

/** Sanitizes every string in a JSON value, and every value with a secret's name. */
export const sanitizeJson = (json: Schema.Json): Schema.Json => {
  if (typeof json === "string") return sanitize(storable(json))
  if (json === null || typeof json !== "object") return json
  if (Array.isArray(json)) return json.map((member: Schema.Json) => sanitizeJson(member))
  return Object.fromEntries(
    Object.entries(json).map(([name, member]) => [
      sanitize(storable(name)),
      member !== null && isSensitive(name) ? redacted : sanitizeJson(member)
    ])
  )
}

/** A line end that announces a credential on the next line. */
const opening = new RegExp(
  `(?:\\bbearer|(?:authorization|${sensitive}|[A-Z0-9]_(?:TOKEN|KEY|SECRET|PASSWORD))${assignment}` +
    `(?:(?:${quote})?${scheme})?)(?:${quote})?\\s{0,20}$`,
  "i"
)
const firstWord = /^(\s*)\S+/
const keyBegins = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/
const keyEnds = /-----END [A-Z ]{0,30}PRIVATE KEY-----/

/** Sanitizes the lines of one text in order: a credential may continue on the next lines. */
export const lineSanitizer = (): ((line: string) => string) => {
  let isOpen = false
  let isKey = false
  return (line) => {
    if (isKey) {
      isKey = !keyEnds.test(line)
      return redacted
    }
    const text = sanitize(isOpen ? line.replace(firstWord, `$1${redacted}`) : line)
    isKey = line.lastIndexOf("-----BEGIN") > line.lastIndexOf("-----END") && keyBegins.test(line)
    // Only its end matters, and that takes no time.
    isOpen = opening.test(line.slice(-200))
    return text
  }
}
