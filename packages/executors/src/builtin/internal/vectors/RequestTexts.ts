/** Collects the texts of requests for dense features: their words, or their static embeddings. */
import type { Settings } from "../../Settings.ts"
import type { EmbeddingTable } from "../../tables/Tables.ts"
import { normalize, partsOf, type Turn, tokensOf } from "../Text.ts"
import * as Corpus from "./Corpus.ts"
import { embeddedRowsMax } from "./Dense.ts"

export interface CollectedTexts {
  /** The words of the requests and of the texts without a label; null unless word vectors are to be learnt. */
  readonly corpus: Corpus.Corpus | null
  /** Of the requests by a table; null without a table, or with more rows than dense features are chosen for. */
  readonly embeddings: ReadonlyArray<Float32Array> | null
}

export interface RequestTexts {
  /** Returns the number of the text. */
  readonly add: (turns: ReadonlyArray<Turn>, words: ReadonlyArray<string>) => number
  readonly addUnlabelled: (request: string) => void
  readonly close: () => CollectedTexts
}

const ofWords = ({ charactersMax }: Settings): RequestTexts => {
  const corpus = Corpus.builder()
  return {
    add: (_, words) => corpus.add(words),
    addUnlabelled: (request) => corpus.addNew(tokensOf(normalize(request, charactersMax))),
    close: () => ({ corpus: corpus.close(), embeddings: null })
  }
}

const ofTable = ({ dimensions, pool }: EmbeddingTable): RequestTexts => {
  let embeddings: Array<Float32Array> | null = []
  return {
    add: (turns) => {
      if (embeddings === null || embeddings.length === embeddedRowsMax) {
        embeddings = null
        return 0
      }
      const embedding = new Float32Array(dimensions)
      pool(partsOf(turns).request, embedding)
      return embeddings.push(embedding) - 1
    },
    addUnlabelled: () => {},
    close: () => ({ corpus: null, embeddings })
  }
}

const nothing: RequestTexts = {
  add: () => 0,
  addUnlabelled: () => {},
  close: () => ({ corpus: null, embeddings: null })
}

export const make = (settings: Settings, table?: EmbeddingTable): RequestTexts => {
  if (table !== undefined) return ofTable(table)
  return settings.wordVectors === true ? ofWords(settings) : nothing
}
