/** Bounds of learning word vectors, each with its reason. */
export const VectorLimits = {
  /** Dimensions of a vector: 256 bytes for each word of the file. */
  dimensions: 64,
  /** Words with a vector, the most frequent ones: 2 MiB of a model. */
  wordsMax: 8_192,
  /** Rarer words have too few neighbours. */
  leastOccurrences: 2,
  /** With fewer words the neighbours of a word are chance. */
  wordsLeast: 64,
  /** Distinct words while texts arrive: some 30 MB. Later new words have no vector. */
  vocabularyMax: 2 ** 18,
  /** Tokens of all texts together: 16 MB, for 200,000 texts of 20 words. Later texts are not read. */
  tokensMax: 2 ** 22,
  /** Tokens of a text: the beginning of a long one tells its topic. */
  textTokensMax: 512,
  /** Neighbours are words at most so many tokens away. */
  window: 5,
  /** Different pairs of neighbours: 16 MB, and a second of factorization. Later new pairs are not counted. */
  pairsMax: 2 ** 20,
  /** Directions beyond the dimensions, and passes over the matrix, that make the leading directions exact (Halko et al., 2011). */
  oversampling: 8,
  passes: 3
} as const
