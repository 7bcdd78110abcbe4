/** Takes credentials out of what a trainer prints, before it is stored (contract 5). */

const redacted = "[redacted]"

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(bearer)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/\b(authorization\s*[:=]\s*)\S+(\s+\S+)?/gi, `$1${redacted}`],
  [/\b(?:whsec_|svc_live_|svc_test_)[0-9A-Za-z]+/g, redacted],
  [/\b(?:sk|pk|rk|hf|ghp|gho|github_pat|xox[abp])[-_][\w-]{8,}/g, redacted],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, redacted],
  [/\b((?:api|access|secret)[_-]?(?:key|token)\s*[:=]\s*)["']?[^\s"',;]+/gi, `$1${redacted}`],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, `$1${redacted}@`]
]

export const sanitize = (message: string): string =>
  patterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message)
