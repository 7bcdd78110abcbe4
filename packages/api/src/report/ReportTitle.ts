/** The title of a report, for its shared page and the dashboard: names of the student and the dataset instead of ids. Pure. */
import type { ReportNames } from "@limbeck/distill/report/ReportNames"

export type { ReportNames }

/** A name between marks that keep its direction from the words beside it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`

export const titleOf = (isRehearsal: boolean, { dataset, student }: ReportNames): string => {
  const what = student === null ? (isRehearsal ? "Rehearsal" : "Report") : isolated(student)
  return dataset === null ? what : `${what}, ${isRehearsal ? "of" : "trained on"} ${isolated(dataset)}`
}
