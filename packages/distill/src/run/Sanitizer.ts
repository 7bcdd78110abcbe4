/**
 * Takes credentials out of what a trainer prints, before it is stored (contract 5). It would rather hide a harmless word
 * than show a key. Every pattern is bounded before its first fixed part, so that a long line takes linear time.
 */

const redacted = "[redacted]"

/** A value behind `name=` or `"name": `, quoted or not. */
const value = String.raw`(?:"[^"]*"|'[^']*'|[^\s"',;&]+)`
const assigned = String.raw`["']?\s?[:=]\s?`
const named = (names: string, flags = "gi") => new RegExp(`((?:${names})${assigned})${value}`, flags)

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // The header, with its scheme if it names one.
  [
    new RegExp(`(authorization${assigned})(?:["']?(?:basic|bearer|digest|token)\\s+[^\\s"',]+|${value})`, "gi"),
    `$1${redacted}`
  ],
  [/\b(bearer)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [named("(?:api|access|secret|private|signing|encryption)[_ -]?(?:access[_ -]?)?(?:key|token)"), `$1${redacted}`],
  [named("(?:auth|bearer|hf|id|refresh|security|session)[_-]?token"), `$1${redacted}`],
  [named("secret|password|passwd|pwd|x-amz-signature|x-amz-credential"), `$1${redacted}`],
  // Environment variables shout.
  [named("[A-Z0-9]_(?:TOKEN|KEY|SECRET|PASSWORD)", "g"), `$1${redacted}`],
  // Ours, under any brand; some payment providers' look alike.
  [/\b[a-z]{2,16}_(?:live|test)_[0-9A-Za-z]{8,}/g, redacted],
  [/\bwhsec_[0-9A-Za-z+/=_-]+/g, redacted],
  [/\bsk[-_][\w-]{8,}/g, redacted],
  [/\b(?:pk|rk|hf|glpat|gh[pousr]|github_pat|xox[a-z])[-_][\w-]{16,}/g, redacted],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, redacted],
  [/\bAIza[\w-]{35}/g, redacted],
  // JSON Web Tokens.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, redacted],
  // The last @ before the path ends the credentials: a password may hold one itself.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]*@/gi, `$1${redacted}@`]
]

export const sanitize = (message: string): string =>
  patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message)
