/** Bounds of static embeddings, each with its reason. */
export const TableLimits = {
  /** The largest table that model2vec publishes has 500 MB; it is read at once and stays in memory. */
  tableBytesMax: 512 * 1024 ** 2,
  /** Tokenizers of 250,000 tokens have 20 MB. */
  tokenizerBytesMax: 64 * 1024 ** 2,
  /** The safetensors format itself allows 100 MB; a table has one tensor. */
  headerBytesMax: 2 ** 20,
  /** Each dimension is a feature of every row and label. */
  dimensionsMax: 1_024,
  /** Tokens of a text, as in model2vec: the beginning of a long text shows its topic. */
  tokensMax: 512,
  /** Characters of a text before tokenization: 512 tokens have fewer. */
  charactersMax: 4_096
} as const
