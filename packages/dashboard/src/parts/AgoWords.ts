/** The distance of a moment from now, in words. Pure. */

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

/** Beyond this a date says more. */
const daysMax = 30

const relative = new Intl.RelativeTimeFormat("en", { style: "narrow" })
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium" })

/** Both in milliseconds. */
export const agoOf = (at: number, now: number): string => {
  const millis = now - at
  if (millis >= daysMax * units[0][1]) return date.format(at)
  for (const [unit, size] of units) if (millis >= size) return relative.format(-Math.floor(millis / size), unit)
  return "just now"
}
