/**
 * A URL from a tenant: of a webhook, source, connector, scorer or student endpoint. One rule keeps it unambiguous for
 * people and programs. The egress policy decides on its target.
 */
import { Limits } from "../Limits.ts"

/** What the URL standard would mend or drop without a word: ` https://x`, `https:example.com`, `https://@example.com`. */
const oddities: ReadonlyArray<readonly [pattern: RegExp, fault: string]> = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  [/[\u0000-\u0020\u007f\\]/, "Write spaces, control characters and backslashes in a URL as %xx"],
  [/^(?![a-z]+:\/\/[^/?#])/i, "This is not an absolute URL"],
  [/^[a-z]+:\/\/[^/?#]*@/i, "A URL must not hold credentials"]
]

/** The fault of the text; undefined for a valid URL. */
export const fault = (text: string): string | undefined => {
  if (text.length > Limits.urlMax) return `A URL is at most ${Limits.urlMax} characters long`
  if (!text.isWellFormed()) return "This is not Unicode text"
  const oddity = oddities.find(([pattern]) => pattern.test(text))?.[1]
  return oddity ?? (URL.canParse(text) ? undefined : "This is not an absolute URL")
}

/** The same for a URL that is asked by HTTP, in the clear or not. */
export const httpFault = (text: string): string | undefined =>
  fault(text) ?? (/^https?:/i.test(text) ? undefined : "This is not an absolute http or https URL")
