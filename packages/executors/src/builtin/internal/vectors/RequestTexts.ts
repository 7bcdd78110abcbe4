/** Collects the texts of requests for dense features: their words, or their embeddings. */
import type { Settings } from "../../Settings.ts"
import type { EmbeddingTable } from "../../tables/Tables.ts"
import { normalize, partsOf, type Turn, tokensOf } from "../Text.ts"
import * as Corpus from "./Corpus.ts"
import { embeddedRowsMax } from "./Dense.ts"

export interface CollectedTexts {
  /** The words of the requests and of the texts without a label; null unless word vectors are to be learnt. */
  readonly corpus: Corpus.Corpus | null
  /** Of the requests, by a table or a source; null without either, or with more rows than dense features are chosen for. */
  readonly embeddings: ReadonlyArray<Float32Array> | null
}

interface RequestText {
  readonly turns: ReadonlyArray<Turn>
  readonly words: ReadonlyArray<string>
  /** By a source; undefined where no source embeds. */
  readonly embedding: Float32Array | undefined
}

export interface RequestTexts {
  /** Returns the number of the text. */
  readonly add: (text: RequestText) => number
  readonly addUnlabelled: (request: string) => void
  readonly close: () => CollectedTexts
}

const ofWords = ({ charactersMax }: Settings): RequestTexts => {
  const corpus = Corpus.builder()
  return {
    add: ({ words }) => corpus.add(words),
    addUnlabelled: (request) => corpus.addNew(tokensOf(normalize(request, charactersMax))),
    close: () => ({ corpus: corpus.close(), embeddings: null })
  }
}

const ofEmbeddings = (embeddingOf: (text: RequestText) => Float32Array): RequestTexts => {
  let embeddings: Array<Float32Array> | null = []
  return {
    add: (text) => {
      if (embeddings === null || embeddings.length === embeddedRowsMax) {
        embeddings = null
        return 0
      }
      return embeddings.push(embeddingOf(text)) - 1
    },
    addUnlabelled: () => {},
    close: () => ({ corpus: null, embeddings })
  }
}

const ofTable = ({ dimensions, pool }: EmbeddingTable): RequestTexts =>
  ofEmbeddings(({ turns }) => {
    const embedding = new Float32Array(dimensions)
    pool(partsOf(turns).request, embedding)
    return embedding
  })

/** The stage gives each row its embedding. */
const ofSource = (): RequestTexts => ofEmbeddings(({ embedding = new Float32Array() }) => embedding)

const nothing: RequestTexts = {
  add: () => 0,
  addUnlabelled: () => {},
  close: () => ({ corpus: null, embeddings: null })
}

export const make = (settings: Settings, table?: EmbeddingTable): RequestTexts => {
  if (settings.embeddings !== undefined) return ofSource()
  if (table !== undefined) return ofTable(table)
  return settings.wordVectors === true ? ofWords(settings) : nothing
}
