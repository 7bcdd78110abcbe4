/** Joins the metrics of several processes on one page, with a `process` label on each sample. */
import type { WorkerStatus } from "./WorkerMachine.ts"

interface Family {
  readonly comments: Array<string>
  readonly samples: Array<string>
}

/** A comment names the family of the following samples. */
const familyIn = (line: string): string | undefined => /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1]

const labelled = (line: string, process: number): string =>
  line.replace(/^([a-zA-Z_:][\w:]*)(\{)?/, (_, name: string, open: string | undefined) =>
    open === undefined ? `${name}{process="${process}"}` : `${name}{process="${process}",`
  )

/** Joins Prometheus texts by the numbers of their processes. The samples of a family stand together, as the format demands. */
export const join = (pages: ReadonlyMap<number, string>): string => {
  const families = new Map<string, Family>()
  for (const [process, page] of pages) {
    let family: Family = { comments: [], samples: [] }
    for (const line of page.split("\n")) {
      const name = familyIn(line)
      if (name !== undefined) {
        family = families.get(name) ?? { comments: [], samples: [] }
        families.set(name, family)
        if (!family.comments.includes(line)) family.comments.push(line)
      } else if (line !== "") family.samples.push(labelled(line, process))
    }
  }
  return [...families.values()].map(({ comments, samples }) => `${[...comments, ...samples].join("\n")}\n`).join("")
}

/** The number of processes in each status, as Prometheus text. */
export const statusFamily = (statuses: ReadonlyArray<WorkerStatus>): string => {
  const shown = ["starting", "serving", "silent", "draining"] as const satisfies ReadonlyArray<WorkerStatus>
  const samples = shown.map(
    (status) => `limbeck_processes{status="${status}"} ${statuses.filter((one) => one === status).length}`
  )
  return [
    "# HELP limbeck_processes Processes of this server, by their status",
    "# TYPE limbeck_processes gauge",
    ...samples,
    ""
  ].join("\n")
}
