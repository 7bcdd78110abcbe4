/**
 * The work of the builtin student on a version. The version's census counted a sample of its rows. The features of more
 * rows follow from the number of features that occur in only one sampled row: new features keep appearing at that rate
 * (Heaps' law), until all hash places are taken.
 */
import { type Census, curve } from "../dataset/Census.ts"
import { DistillLimits } from "../Limits.ts"
import type { DataSize } from "./internal/DataSize.ts"
import { defaults } from "./Recipe.ts"

export interface Work {
  /** Train rows. */
  readonly rows: number
  readonly labels: number
  /** Per row: the read characters, its features, and its learnt features. */
  readonly requestCharacters: number
  readonly contextCharacters: number
  readonly features: number
  readonly learnt: number
  /** Distinct learnt features over all rows. */
  readonly different: number
  /** The share of learnt features outside of the `most` most frequent ones. */
  readonly beyond: (most: number) => number
}

/** Assumptions without a census. */
const usualLabels = 8
const charactersPerToken = 4
/** The number of hash places of features. */
const places = 2 ** 18
/** Features per character of a request; above `longCharacters` they grow by this power. */
const language = { features: 2, longCharacters: 400, power: 0.8 }
/** The context's words are features too, except for a common system prompt. */
const contextFeatures = 0.1
/** Distinct features by total features, and the share of features that occur once. */
const languageLaw = { factor: 75, power: 0.46, single: 0.4 }

/** The assumed census of plain language. */
const assumeCensus = ({ labels, promptTokens, requestTokens = promptTokens, trainRows }: DataSize): Census => {
  const rows = Math.max(1, trainRows)
  const request = Math.min(requestTokens, defaults.sft.max_seq_len) * charactersPerToken
  const context = Math.min(promptTokens - requestTokens, defaults.sft.max_seq_len) * charactersPerToken
  const short = Math.min(request, language.longCharacters)
  const perRow = language.features * short * Math.max(1, request / language.longCharacters) ** language.power
  const features = rows * (perRow + contextFeatures * context)
  const different = Math.min(places, features, languageLaw.factor * features ** languageLaw.power)
  return {
    rows,
    requestCharacters: rows * request,
    contextCharacters: rows * context,
    features,
    different,
    single: languageLaw.single * different,
    everywhere: 0,
    beyond: [],
    labels: labels ?? usualLabels
  }
}

/** The places taken by this many different features; and the inverse. */
const taken = (features: number): number => places * (1 - Math.exp(-features / places))
const takers = (count: number): number => -places * Math.log(1 - Math.min(count, places - 1) / places)
/** The share of taken places with a single feature. */
const alone = (features: number): number => (features === 0 ? 1 : features / places / Math.expm1(features / places))

/** The places taken by the features of `rows` rows, and those of features in a single row. */
const grown = ({ different, rows: counted, single }: Census, rows: number) => {
  if (rows <= counted || different === 0) return { different, single }
  const features = takers(different)
  /** The share of features that occurred once; features grow with the rows at this power. */
  const once = Math.min(1, single / different / alone(features))
  const more = features * (rows / counted) ** once
  return { different: taken(more), single: taken(more) * once * alone(more) }
}

/** The census's `beyond` as a share, interpolated between powers of two. */
const beyondOf = ({ beyond, everywhere, features, rows, single }: Census) => {
  const learnt = Math.max(1, features - single - everywhere * rows)
  const share = (power: number): number => (beyond[power] ?? 0) / learnt
  return (most: number): number => {
    const power = Math.max(0, Math.log2(most) - curve.first)
    const below = Math.floor(power)
    return share(below) + (share(below + 1) - share(below)) * (power - below)
  }
}

/** The share of a row's text within the sequence bound, relative to the census. */
const readShare = (tokens: number, sequence: number): number =>
  tokens === 0 ? 1 : Math.min(tokens, sequence) / Math.min(tokens, defaults.sft.max_seq_len)

/** The student halves its sample of the rows until it is within bounds. */
const sampleRows = (rows: number, features: number): number => {
  const most = Math.min(DistillLimits.builtinRowsMax, DistillLimits.builtinFeaturesMax / Math.max(1, features))
  return rows <= most ? rows : rows / 2 ** Math.ceil(Math.log2(rows / most))
}

/**
 * `sequence`: the maximum of request tokens the student reads. The result is finite for every census, even without rows or labels.
 */
export const of = (data: DataSize, sequence: number): Work => {
  const census = data.census ?? assumeCensus(data)
  const { everywhere } = census
  const counted = Math.max(1, census.rows)
  const { promptTokens, requestTokens = promptTokens } = data
  const read = readShare(requestTokens, sequence)
  const perRow = (census.features / counted) * read ** language.power
  const rows = sampleRows(data.trainRows, perRow)
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
