/** A moment in the reader's zone, with UTC on hover. */
const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

export const momentOf = (at: string): string => shown.format(new Date(at))

export const Time = ({ at }: { readonly at: string | null | undefined }) =>
  at === null || at === undefined ? (
    "–"
  ) : (
    <time dateTime={at} title={`${at} (UTC)`}>
      {momentOf(at)}
    </time>
  )

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })

/** The day of a moment, with its time in UTC on hover. */
export const Day = ({ at, none = "–" }: { readonly at: string | null; readonly none?: string }) =>
  at === null ? (
    none
  ) : (
    <time dateTime={at} title={`${at} (UTC)`}>
      {day.format(new Date(at))}
    </time>
  )
