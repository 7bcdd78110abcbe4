/** What a client would rather have, from its `Accept` header (RFC 9110, 12.5.1). */

/** The weight of a named type; 0 for an absent one. */
const weightOf = (accept: string, type: string): number => {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const weight = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
    return Number.isFinite(weight) ? weight : 1
  }
  return 0
}

/** True only if HTML is named, as by browsers; clients that accept anything get JSON. */
export const prefersHtml = (accept: string | undefined): boolean => {
  if (accept === undefined) return false
  const html = weightOf(accept, "text/html")
  return html > 0 && html >= weightOf(accept, "application/json")
}
