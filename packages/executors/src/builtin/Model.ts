/** The trained student: a small file that answers a conversation with one of its labels and a confidence. */
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import * as ClosedFields from "@limbeck/distill/dataset/ClosedFields"
import * as CalibrationFit from "./internal/CalibrationFit.ts"
import * as Container from "./internal/Container.ts"
import * as Course from "./internal/Course.ts"
import * as Features from "./internal/Features.ts"
import * as Novelty from "./internal/Novelty.ts"
import * as Questions from "./internal/Questions.ts"
import * as Reading from "./internal/Reading.ts"
import { greatest, softmax } from "./internal/Softmax.ts"
import * as Scorer from "./internal/score/Scorer.ts"
import { partsOf, type Turn } from "./internal/Text.ts"
import { type Fields, numbersOf, type TrainingSet, weigh } from "./internal/TrainingSet.ts"
import * as EarlierDetectors from "./internal/unlike/EarlierDetectors.ts"
import type * as Judging from "./internal/unlike/Judging.ts"
import { usedDimensions } from "./internal/vectors/DenseFeatures.ts"
import * as Standard from "./internal/vectors/Standard.ts"
import * as WordVectors from "./internal/vectors/WordVectors.ts"
import * as WeightTrainer from "./internal/WeightTrainer.ts"
import type { EmbeddingReference, Settings } from "./Settings.ts"
import * as Tables from "./tables/Tables.ts"

export interface About {
  /** With fields, the labels of the first field, then of the next. */
  readonly labels: ReadonlyArray<string>
  /** The JSON fields of the answer; absent if the whole completion is the label. */
  readonly fields?: Fields & { readonly joint: CalibrationFit.Joint }
  /** Free properties, absent from its answers. Without this list its answers are whole. */
  readonly free?: ReadonlyArray<string>
  /** The questions of decisions, each with its slice of the labels, its temperature and its threshold. */
  readonly questions?: ReadonlyArray<Questions.QuestionHead>
  readonly bits: number
  readonly charactersMax: number
  /** The divisor of scores before the softmax. */
  readonly temperature: number
  /** The correction of the greatest probability; absent in models of earlier versions. */
  readonly knots?: ReadonlyArray<CalibrationFit.CalibrationPoint>
  /** The text that all train rows share; absent in models of earlier versions. */
  readonly template?: Reading.Template
  /** The ids of learnt prompts; absent: the model does not distinguish prompts. See `Templates`. */
  readonly templates?: ReadonlyArray<string>
  /** Tool sets in training rows; absent without tools. See `OfferedTools`. */
  readonly tools?: ReadonlyArray<string>
  /** An input with a lower likeness to the train rows is new. Null or absent without a threshold: other rules may hold. */
  readonly newBelow?: number | null
  /** Further rules of new inputs; absent in models of earlier versions. */
  readonly novelty?: Omit<Judging.Rules, "likeness"> | Omit<EarlierDetectors.CoverageRules, "likeness">
  /** The numbers of a word's vector; absent: the student has no word vectors. */
  readonly dimensions?: number
  /** The static embeddings that it needs; absent: none, its word vectors are in the file. */
  readonly table?: Tables.TableReference
  /** The source of request embeddings. Absent: predictions need no embedding. */
  readonly embeddings?: EmbeddingReference
  /** The shares of held-back texts that are new. */
  readonly unlike?: Novelty.Novelty["unlike"]
  /** The pace of the final training. */
  readonly pace?: Course.Outcome["pace"]
  readonly trainingRows: number
  readonly quality: CalibrationFit.CalibrationFit["quality"]
  /** SHA-256 of the train rows and settings. */
  readonly madeOf: string
}

export interface Prediction {
  readonly text: string
  /** Probability of `text`, from 0 to 1; of a student of decisions both are empty, and the distribution is all; with fields, the probability that all fields are right. */
  readonly confidence: number
  /** Whether the input is unlike all train rows: another task, another language, or empty. */
  readonly isNew: boolean
  /** Every label, the most frequent of the training first; probabilities sum to 1, in each field. */
  readonly distribution: ReadonlyArray<{ readonly text: string; readonly probability: number }>
}

/** What a prediction knows beside the conversation. */
interface PredictionContext {
  /** The id of the prompt, among several. */
  readonly template?: string | undefined
  /** Of the request's `embeddedText`; needed by a model with `embeddings`, which throws without it. */
  readonly embedding?: Float32Array | undefined
}

export interface Model {
  readonly about: About
  readonly predict: (turns: ReadonlyArray<Turn>, context?: PredictionContext) => Prediction
}

/** Names the format of the file for its readers. */
export const format = "limbeck-text-classifier/2"
/** The format of files with fields. Earlier readers would read the fields as labels. */
const formatOfFields = "limbeck-text-classifier/3"
/** The format of files with questions of decisions. */
const formatOfQuestions = "limbeck-text-classifier/4"
/** The format of files with word vectors. Earlier readers would read weights at wrong places. */
const formatOfVectors = "limbeck-text-classifier/5"
/** Format for models with label lists or tool calls. Earlier readers would write list labels as fields, and calls as text. */
const formatOfAnswers = "limbeck-text-classifier/6"
/** Format for models with several tools and their own arguments. Earlier readers would write all arguments. */
const formatOfCalls = "limbeck-text-classifier/7"
/** Format for models of closed fields. Earlier readers would serve partial answers as whole ones. */
const formatOfParts = ClosedFields.studentFormat
/** Formats for models that need embeddings of a source. Earlier readers would find no vectors. */
const formatOfEmbeddings = "limbeck-embedding-classifier/1"
const formatOfEmbeddedParts = ClosedFields.embeddingStudentFormat
/** Files from before: without corrections, a template and a measure of likeness. */
const formatBefore = "limbeck-text-classifier/1"
export const formats: ReadonlyArray<string> = [
  format,
  formatOfFields,
  formatOfQuestions,
  formatOfVectors,
  formatOfAnswers,
  formatOfCalls,
  formatOfParts,
  formatOfEmbeddings,
  formatOfEmbeddedParts,
  formatBefore
]

export const formatOf = ({ dimensions, embeddings, fields, free, questions, tools }: About): string => {
  if (embeddings !== undefined) return free === undefined ? formatOfEmbeddings : formatOfEmbeddedParts
  if (free !== undefined) return formatOfParts
  if (fields?.variants !== undefined) return formatOfCalls
  if (fields?.slots !== undefined || tools !== undefined) return formatOfAnswers
  if (dimensions !== undefined) return formatOfVectors
  if (questions !== undefined) return formatOfQuestions
  return fields === undefined ? format : formatOfFields
}

const aboutOf = ({ rules, unlike }: Novelty.Novelty): Pick<About, "newBelow" | "novelty" | "unlike"> => {
  const { likeness, ...novelty } = rules
  return { newBelow: likeness, novelty, unlike }
}

/** Encodes a trained model as a file, with its calibration if the set has a validation part. */
export const encode = (
  set: TrainingSet,
  settings: Settings,
  trainer: WeightTrainer.WeightTrainer,
  novelty: Novelty.Novelty | null = null
): { readonly about: About; readonly bytes: Uint8Array<ArrayBuffer> } => {
  const { bias, outcomes, scale } = trainer.state
  const best = Course.bestOf(outcomes)
  const dense = usedDimensions(set) === 0 ? undefined : set.dense
  const { joint, knots, quality, temperature } =
    Course.calibrationOf(outcomes) ?? CalibrationFit.calibrate(trainer.validate())
  const judgedParts = Course.judgedParts(outcomes)
  const calibratedBy = ({ learnt }: NonNullable<TrainingSet["questions"]>) =>
    Questions.calibrateHeads(
      learnt,
      judgedParts.length > 0 ? judgedParts : [Questions.judgedHeads(learnt, trainer.validate())]
    )
  const about: About = {
    labels: set.labels,
    ...(set.fields === null ? {} : { fields: { ...set.fields, joint } }),
    ...(set.free === undefined ? {} : { free: set.free }),
    ...(set.questions === null ? {} : { questions: calibratedBy(set.questions) }),
    bits: settings.bits,
    charactersMax: settings.charactersMax,
    temperature,
    knots,
    template: settings.template,
    ...(settings.templates === undefined ? {} : { templates: settings.templates }),
    ...(settings.tools === undefined ? {} : { tools: settings.tools }),
    ...(novelty === null ? { newBelow: null } : aboutOf(novelty)),
    ...(dense === undefined ? {} : { dimensions: dense.dimensions }),
    ...(dense?.vectors !== null || settings.table === undefined ? {} : { table: settings.table }),
    ...(dense?.standard === undefined || settings.embeddings === undefined ? {} : { embeddings: settings.embeddings }),
    pace: best?.pace ?? { epochs: trainer.state.epoch, learningRate: settings.learningRate },
    trainingRows: set.training.length,
    quality,
    madeOf: set.fingerprint
  }
  const scaled = WeightTrainer.weightsOf(set, trainer.state).map((weight) => weight * scale)
  const { pairs, weights: likeness = new Float32Array(), words = new Uint32Array() } = novelty ?? {}
  const arrays = {
    places: set.places,
    rarity: set.rarity,
    weights: scaled,
    bias,
    likeness,
    words,
    ...(pairs === undefined ? {} : { pairs }),
    ...(dense?.vectors == null ? {} : { vocabulary: dense.vectors.words, vectors: dense.vectors.vectors }),
    ...dense?.standard
  }
  return { about, bytes: Container.encode({ kind: formatOf(about), about, arrays }) }
}

interface Arrays {
  readonly places: Uint32Array
  readonly rarity: Float32Array
  readonly weights: Float32Array
  readonly bias: Float32Array
  readonly likeness?: Float32Array<ArrayBuffer>
  readonly words?: Uint32Array<ArrayBuffer>
  /** Absent in models of earlier versions. */
  readonly pairs?: Uint32Array<ArrayBuffer>
  readonly vocabulary?: Uint32Array<ArrayBuffer>
  readonly vectors?: Float32Array<ArrayBuffer>
  readonly means?: Float32Array<ArrayBuffer>
  readonly scales?: Float32Array<ArrayBuffer>
}

/** Corrects the greatest probability and scales the others in proportion. */
const correct = (
  probabilities: Float64Array,
  best: number,
  knots: ReadonlyArray<CalibrationFit.CalibrationPoint>
): void => {
  const before = probabilities[best]!
  if (probabilities.length < 2 || knots.length === 0 || before >= 1) return
  const others = Math.max(...probabilities.map((value, label) => (label === best ? 0 : value))) / (1 - before)
  // The correction never makes another label the most probable.
  const after = Math.max(CalibrationFit.correctProbability(knots, before), others / (1 + others))
  for (let label = 0; label < probabilities.length; label++) {
    probabilities[label] = label === best ? after : (probabilities[label]! / (1 - before)) * (1 - after)
  }
}

interface Answer {
  readonly text: string
  readonly confidence: number
}

/** Turns scores into probabilities, in place, and returns the most probable answer. */
const makeAnswering = (about: About): ((scores: Float64Array) => Answer) => {
  const { fields, knots = [], labels, questions, temperature } = about
  if (questions !== undefined) {
    return (scores) => {
      for (const { from, temperature, to } of questions) softmax(scores.subarray(from, to), temperature)
      return { text: "", confidence: 0 }
    }
  }
  if (fields === undefined) {
    return (scores) => {
      softmax(scores, temperature)
      const best = greatest(scores)
      correct(scores, best, knots)
      return { text: labels[best]!, confidence: scores[best]! }
    }
  }
  const { heads, joint } = fields
  return (scores) => {
    const best = heads.map(({ from, to }) => {
      const part = scores.subarray(from, to)
      softmax(part, temperature)
      return from + greatest(part)
    })
    const [first = 0] = best
    const answered = best.filter((_, head) => (heads[head]?.when ?? first) === first)
    const sure = CalibrationFit.jointOf(
      joint,
      answered.map((label) => scores[label]!)
    )
    return {
      text: AnswerRules.write(
        fields,
        best.map((label) => labels[label]!)
      ),
      confidence: CalibrationFit.correctProbability(knots, sure)
    }
  }
}

const noveltyOf = (about: About, { likeness, pairs = new Uint32Array(), words }: Arrays): Judging.Detector => {
  const { newBelow = null, novelty } = about
  if (likeness === undefined || (newBelow === null && novelty === undefined)) return () => false
  // Copies: what stays must not hold the whole file in memory.
  const weights = likeness.slice()
  if (novelty === undefined || words === undefined) {
    return newBelow === null ? () => false : EarlierDetectors.likeness(weights, newBelow, about)
  }
  return Novelty.detector(
    { weights, words: words.slice(), pairs: pairs.slice() },
    { likeness: newBelow, ...novelty },
    about
  )
}

interface PooledRequest {
  readonly request: string
  readonly words: ReadonlyArray<string>
  readonly embedding: Float32Array | undefined
}

/** Writes the vector of a request, by its text, its words or its embedding. */
type RequestPooling = (of: PooledRequest, into: Float32Array) => void

const standardPool =
  (standard: Standard.Standard): RequestPooling =>
  ({ embedding }, into) => {
    if (embedding?.length !== into.length) throw new Error(`The student needs an embedding of ${into.length} numbers`)
    Standard.apply(standard, embedding, into)
  }

/** Of a student without vectors, a request has none. */
const poolOf = (
  { dimensions = 0, table: reference }: About,
  { means, scales, vectors, vocabulary }: Arrays,
  tables: Tables.Tables
): RequestPooling | Tables.TableUnreadable => {
  if (reference !== undefined) {
    const table = tables.find(reference)
    return table instanceof Tables.TableUnreadable ? table : ({ request }, into) => table.pool(request, into)
  }
  if (means !== undefined && scales !== undefined) return standardPool({ means: means.slice(), scales: scales.slice() })
  if (vectors === undefined || vocabulary === undefined) return () => {}
  const pool = WordVectors.pooling({ dimensions, words: vocabulary.slice(), vectors: vectors.slice() })
  return ({ words }, into) => pool(words, into)
}

const predictor = (about: About, arrays: Arrays, pool: RequestPooling): Model["predict"] => {
  const { bits, charactersMax, dimensions = 0, labels, template = Reading.nothing } = about
  const answer = makeAnswering(about)
  const featurizer = Features.make(about)
  const numbers = numbersOf(arrays.places, bits)
  const scoreRow = Scorer.make(arrays)
  // Copies: what stays must not hold the whole file in memory.
  const rarity = arrays.rarity.slice()
  const isNew = noveltyOf(about, arrays)
  const sparse = arrays.places.length
  let row = { features: new Uint32Array(1024), values: new Float32Array(1024) }
  return (turns, { embedding, template: prompt } = {}) => {
    const read = Reading.read(turns, template, charactersMax)
    const counts = featurizer.count(read.turns, prompt)
    const room = counts.length + dimensions
    if (room > row.features.length) row = { features: new Uint32Array(room * 2), values: new Float32Array(room * 2) }
    const end = weigh({ ...counts, from: 0, to: counts.length }, numbers, rarity, row, 0)
    const to = end + dimensions
    for (let k = 0; k < dimensions; k++) row.features[end + k] = sparse + k
    const request = dimensions === 0 ? "" : partsOf(read.turns).request
    pool({ request, words: featurizer.tokens(), embedding }, row.values.subarray(end, to))
    const probabilities = new Float64Array(labels.length)
    scoreRow({ ...row, from: 0, to }, probabilities)
    const { confidence, text } = answer(probabilities)
    // The features of a prompt's own head are none of the text's.
    const whole = prompt === undefined ? { counts, tokens: featurizer.tokens() } : undefined
    return {
      text,
      confidence,
      isNew: !read.isFramed || isNew(read.turns, whole),
      // Few ask for it, and labels may be many.
      get distribution() {
        return labels.map((text, label) => ({ text, probability: probabilities[label]! }))
      }
    }
  }
}

/** `tables`: where static embeddings are found. */
export const load = (bytes: Uint8Array, tables = Tables.none): Model | Container.Unreadable => {
  const read = formats.map((kind) => Container.decode(bytes, kind))
  const content = read.find((one) => !(one instanceof Container.Unreadable)) ?? read[0]!
  if (content instanceof Container.Unreadable) return content
  // Kind, version and digest have shown that `encode` wrote this.
  const about = content.about as About
  const arrays = content.arrays as Record<keyof Arrays, never>
  const pool = poolOf(about, arrays, tables)
  return pool instanceof Tables.TableUnreadable
    ? new Container.Unreadable(pool.reason)
    : { about, predict: predictor(about, arrays, pool) }
}
