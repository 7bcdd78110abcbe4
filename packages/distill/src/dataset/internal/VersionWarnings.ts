/** What a person should know of a version before a run uses it (contract 16.5). Pure. */
import * as Contradictions from "../Contradictions.ts"
import type { DatasetVersion } from "../DatasetVersion.ts"

const reasons: Readonly<Record<string, string>> = {
  by_student: "answered by a student",
  continues_stored_conversation: "continuing a conversation that the provider stores",
  cut_off: "with an answer that was cut off",
  decision: "of decisions",
  embedding: "of embeddings",
  images: "about images",
  legacy_completion: "of legacy completions",
  no_answer: "without an answer",
  not_finished: "that the provider had not finished",
  provider_tool: "whose tools ran at the provider",
  stored_prompt: "with a prompt that the provider stores",
  unreadable: "that cannot be read"
}

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`)
const rows = (count: number): string => (count === 1 ? "1 invalid row" : `${count} invalid rows`)

const causesOf = ({ dropped: { invalid }, droppedReasons = {} }: DatasetVersion): ReadonlyArray<string> => [
  ...Object.entries(droppedReasons).map(([reason, count]) => `${calls(count)} ${reasons[reason] ?? `(${reason})`}`),
  ...(invalid === 0 ? [] : [rows(invalid)])
]

/** Why a ready version has no row. */
const emptiness = (version: DatasetVersion): string => {
  const causes = causesOf(version)
  if (causes.length > 0) return `The version has no rows. Left out: ${causes.join(", ")}.`
  return "calls" in version.source
    ? "The version has no rows: no captured call matches its filter."
    : "The version has no rows: its source is empty."
}

/** A rarer prompt is hardly a workload of its own. */
const workloadShare = 0.05

/** Several workloads in one version. */
const mixture = ({ templates = [] }: DatasetVersion): ReadonlyArray<string> => {
  const shares = templates.map(({ share }) => share).filter((share) => share >= workloadShare)
  if (shares.length < 2) return []
  const listed = shares.map((share) => `${Math.round(share * 100)} %`).join(", ")
  return [
    `The rows have ${shares.length} system prompts (${listed} of the rows): one student learns them all. Make a version for each, by ` +
      "tag or text, where they ask for different things."
  ]
}

/** Rows of which a student of texts knows a part alone. */
const media = ({ profile }: DatasetVersion): ReadonlyArray<string> => {
  const count = profile?.media ?? 0
  if (count === 0) return []
  return [
    `${count === 1 ? "1 row has" : `${count} rows have`} an image, audio or a file. The builtin student reads texts alone: its training ` +
      "and evaluation leave such rows out, and its deployment sends such calls to the fallback as unsupported."
  ]
}

/** A version that was to be cleaned, and was not. */
const warnUnexamined = ({ cleaning }: DatasetVersion): ReadonlyArray<string> =>
  cleaning === undefined || cleaning.reason === null ? [] : [`No row was examined for \`clean\`: ${cleaning.reason}.`]

/** Suspects about which the teacher was not asked. */
const warnUnasked = ({ cleaning }: DatasetVersion): ReadonlyArray<string> => {
  const { asked, reason } = cleaning?.relabel ?? { asked: 0, reason: null }
  if (cleaning === undefined || reason === null) return []
  return [`The teacher was asked about ${asked} of ${cleaning.suspects} suspects: ${reason}.`]
}

export const of = (version: DatasetVersion): ReadonlyArray<string> => {
  if (version.status !== "ready") return []
  return version.rows === 0
    ? [emptiness(version)]
    : [
        ...mixture(version),
        ...media(version),
        ...Contradictions.warnings(version),
        ...warnUnexamined(version),
        ...warnUnasked(version)
      ]
}
