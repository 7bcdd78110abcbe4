/**
 * What the builtin student has to do with rows like these. A version's census counted a sample of its rows; what more rows
 * have is told from how many features of the sample were met in one row only: after that many new ones, more are found at
 * that rate (Heaps' law), until all places that features are hashed to are taken.
 */
import { type Census, curve } from "../dataset/Census.ts"
import { DistillLimits } from "../Limits.ts"
import type { DataSize } from "./internal/DataSize.ts"
import { defaults } from "./Recipe.ts"

export interface Work {
  /** Rows that are learnt from. */
  readonly rows: number
  readonly labels: number
  /** Of a row: what is read, its features, and those of them that are learnt. */
  readonly requestCharacters: number
  readonly contextCharacters: number
  readonly features: number
  readonly learnt: number
  /** Different features of all rows that are learnt. */
  readonly different: number
  /** Of the features learnt, the share that is not among so many most frequent ones. */
  readonly beyond: (most: number) => number
}

/** Where nobody has counted them. */
const usualLabels = 8
const charactersPerToken = 4
/** Features are hashed to so many places. */
const places = 2 ** 18
/** Of a request: features of a character, and from where they grow slower than it does, by which power. */
const language = { features: 2, longCharacters: 400, power: 0.8 }
/** The context's words are features too; a system prompt that all rows share is none. */
const contextFeatures = 0.1
/** Different features of a text, by how many it has in all, and how many of them are met once. */
const spoken = { factor: 75, power: 0.46, single: 0.4 }

/** What a census of plain language would say. */
const assumed = ({ labels, promptTokens, requestTokens = promptTokens, trainRows }: DataSize): Census => {
  const rows = Math.max(1, trainRows)
  const request = Math.min(requestTokens, defaults.sft.max_seq_len) * charactersPerToken
  const context = Math.min(promptTokens - requestTokens, defaults.sft.max_seq_len) * charactersPerToken
  const short = Math.min(request, language.longCharacters)
  const perRow = language.features * short * Math.max(1, request / language.longCharacters) ** language.power
  const features = rows * (perRow + contextFeatures * context)
  const different = Math.min(places, features, spoken.factor * features ** spoken.power)
  return {
    rows,
    requestCharacters: rows * request,
    contextCharacters: rows * context,
    features,
    different,
    single: spoken.single * different,
    everywhere: 0,
    beyond: [],
    labels: labels ?? usualLabels
  }
}

/** Of places, how many so many different features take; and the other way round. */
const taken = (features: number): number => places * (1 - Math.exp(-features / places))
const takers = (count: number): number => -places * Math.log(1 - Math.min(count, places - 1) / places)
/** The share of taken places that one feature has alone. */
const alone = (features: number): number => (features === 0 ? 1 : features / places / Math.expm1(features / places))

/** How many places the features of `rows` rows take, and how many of them are met in one row only. */
const grown = ({ different, rows: counted, single }: Census, rows: number) => {
  if (rows <= counted || different === 0) return { different, single }
  const features = takers(different)
  /** Of the features, those that were met once: at that power they grow with the rows. */
  const once = Math.min(1, single / different / alone(features))
  const more = features * (rows / counted) ** once
  return { different: taken(more), single: taken(more) * once * alone(more) }
}

/** `beyond` of a census, as a share, between its powers of two. */
const beyondOf = ({ beyond, everywhere, features, rows, single }: Census) => {
  const learnt = Math.max(1, features - single - everywhere * rows)
  const share = (power: number): number => (beyond[power] ?? 0) / learnt
  return (most: number): number => {
    const power = Math.max(0, Math.log2(most) - curve.first)
    const below = Math.floor(power)
    return share(below) + (share(below + 1) - share(below)) * (power - below)
  }
}

/** How much of a row is read under this bound, against what the census read of it. */
const readShare = (tokens: number, sequence: number): number =>
  tokens === 0 ? 1 : Math.min(tokens, sequence) / Math.min(tokens, defaults.sft.max_seq_len)

/** The student halves its sample of the rows until it is within bounds. */
const sampled = (rows: number, features: number): number => {
  const most = Math.min(DistillLimits.builtinRowsMax, DistillLimits.builtinFeaturesMax / Math.max(1, features))
  return rows <= most ? rows : rows / 2 ** Math.ceil(Math.log2(rows / most))
}

/** `sequence`: tokens of a request that are read. Finite for every census, also for one of no rows or of no labels. */
export const of = (data: DataSize, sequence: number): Work => {
  const census = data.census ?? assumed(data)
  const { everywhere } = census
  const counted = Math.max(1, census.rows)
  const { promptTokens, requestTokens = promptTokens } = data
  const read = readShare(requestTokens, sequence)
  const perRow = (census.features / counted) * read ** language.power
  const rows = sampled(data.trainRows, perRow)
  const { different, single } = grown(census, rows)
  const learnt = census.features / counted - everywhere - single / Math.max(rows, counted)
  return {
    rows,
    labels: Math.max(1, data.labels ?? census.labels),
    requestCharacters: (census.requestCharacters / counted) * read,
    contextCharacters: (census.contextCharacters / counted) * readShare(promptTokens - requestTokens, sequence),
    features: perRow,
    learnt: Math.max(0, learnt) * read ** language.power,
    different: Math.max(0, different - single - everywhere),
    beyond: beyondOf(census)
  }
}
