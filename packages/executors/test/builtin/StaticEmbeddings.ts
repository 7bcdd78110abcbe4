/** Folders of static embeddings in the form of model2vec: a safetensors table and a WordPiece tokenizer. */
import * as fs from "node:fs/promises"
import path from "node:path"

/** The bytes of a safetensors file with one tensor of 32-bit numbers. */
export const safetensors = (
  rows: ReadonlyArray<ReadonlyArray<number>>,
  name = "embeddings",
  dtype = "F32"
): Uint8Array => {
  const dimensions = rows[0]?.length ?? 0
  const numbers = Float32Array.from(rows.flat())
  const about = { dtype, shape: [rows.length, dimensions], data_offsets: [0, numbers.byteLength] }
  const header = new TextEncoder().encode(JSON.stringify({ [name]: about }))
  const bytes = new Uint8Array(8 + header.length + numbers.byteLength)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true)
  bytes.set(header, 8)
  bytes.set(new Uint8Array(numbers.buffer), 8 + header.length)
  return bytes
}

/** A tokenizer whose token `n` is the word `words[n]`; the first word stands for unknown ones, and `##` begins a later piece. */
const wordPieces = (words: ReadonlyArray<string>) => ({
  version: "1.0",
  added_tokens: [],
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: null,
  decoder: null,
  model: {
    type: "WordPiece",
    unk_token: words[0],
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(words.map((word, id) => [word, id]))
  }
})

/** Writes a folder whose words have these vectors; unknown words have none. */
export const writeEmbeddings = async (
  folder: string,
  vectors: Readonly<Record<string, ReadonlyArray<number>>>
): Promise<void> => {
  const dimensions = Object.values(vectors)[0]?.length ?? 0
  await fs.mkdir(folder, { recursive: true })
  const rows = [Array.from({ length: dimensions }, () => 9), ...Object.values(vectors)]
  await fs.writeFile(path.join(folder, "model.safetensors"), safetensors(rows))
  const tokenizer = wordPieces(["[UNK]", ...Object.keys(vectors)])
  await fs.writeFile(path.join(folder, "tokenizer.json"), JSON.stringify(tokenizer))
}
