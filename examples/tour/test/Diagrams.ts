/** The diagrams of docs/, printed from the very tables that move runs, deliveries, uploads, dataset versions and deployments. */
import * as VersionMachine from "@limbeck/distill/dataset/VersionMachine"
import * as PullMachine from "@limbeck/distill/pull/PullMachine"
import * as RunMachine from "@limbeck/distill/run/RunMachine"
import * as UploadMachine from "@limbeck/distill/upload/UploadMachine"
import * as DeploymentMachine from "@limbeck/serving/deployment/DeploymentMachine"
import * as DeliveryMachine from "@limbeck/webhooks/delivery/DeliveryMachine"

type Edges = Readonly<Record<string, Readonly<Record<string, string | ReadonlyArray<string>>>>>

const arrowsFrom = (from: string, events: Edges[string] = {}): ReadonlyArray<string> => {
  const labels = new Map<string, ReadonlyArray<string>>()
  for (const [event, ends] of Object.entries(events)) {
    for (const to of [ends].flat()) labels.set(to, [...(labels.get(to) ?? []), event])
  }
  if (labels.size === 0) return [`  ${from} --> [*]`]
  return [...labels].map(([to, names]) => `  ${from} --> ${to}: ${names.join(", ")}`)
}

/** The table's first status is the start of a life; a status without outgoing moves is an end. */
const stateDiagram = (edges: Edges): string =>
  [
    "```mermaid",
    "stateDiagram-v2",
    `  [*] --> ${Object.keys(edges)[0]}`,
    ...Object.entries(edges).flatMap(([from, events]) => arrowsFrom(from, events)),
    "```"
  ].join("\n")

/** Which file shows which diagram, between the marks `<!-- diagram: name -->` and `<!-- end -->`. */
export const diagrams: ReadonlyArray<{ readonly file: string; readonly name: string; readonly text: string }> = [
  { file: "docs/runs.md", name: "run", text: stateDiagram(RunMachine.edges) },
  { file: "docs/versions.md", name: "upload", text: stateDiagram(UploadMachine.edges) },
  { file: "docs/data.md", name: "pull", text: stateDiagram(PullMachine.edges) },
  { file: "docs/versions.md", name: "dataset version", text: stateDiagram(VersionMachine.edges) },
  { file: "docs/deployments.md", name: "deployment", text: stateDiagram(DeploymentMachine.edges) },
  { file: "docs/webhooks.md", name: "delivery", text: stateDiagram(DeliveryMachine.edges) }
]

const markOf = (name: string) => `<!-- diagram: ${name} -->`
const end = "<!-- end -->"

/** The page with its diagrams as the tables say; fails when a mark is missing. */
export const withDiagrams = (file: string, page: string): string =>
  diagrams
    .filter((diagram) => diagram.file === file)
    .reduce((text, { name, text: diagram }) => {
      const [before, after, ...more] = text.split(markOf(name))
      const [, ...rest] = (after ?? "").split(end)
      if (before === undefined || rest.length === 0 || more.length > 0) {
        throw new Error(`${file} ought to have one ${markOf(name)} with its ${end}`)
      }
      return `${before}${markOf(name)}\n\n${diagram}\n\n${end}${rest.join(end)}`
    }, page)
