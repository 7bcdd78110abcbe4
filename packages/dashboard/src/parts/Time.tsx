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
