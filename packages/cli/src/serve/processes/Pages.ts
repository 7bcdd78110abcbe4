/** One page of metrics made of those of several processes: each sample says by the label `process` whose it is. */

interface Family {
  readonly comments: Array<string>
  readonly samples: Array<string>
}

/** A comment names its family; what follows it belongs to that. */
const familyIn = (line: string): string | undefined => /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1]

const labelled = (line: string, process: number): string =>
  line.replace(/^([a-zA-Z_:][\w:]*)(\{)?/, (_, name: string, open: string | undefined) =>
    open === undefined ? `${name}{process="${process}"}` : `${name}{process="${process}",`
  )

/** Of Prometheus text, by the numbers of the processes; a family's samples stand together, as the format wants. */
export const joined = (pages: ReadonlyMap<number, string>): string => {
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
