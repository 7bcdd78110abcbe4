/**
 * A static embedding: a table with a vector for each token, and the tokenizer, in the form that model2vec writes (`model.safetensors`
 * with the tensor `embeddings`, and `tokenizer.json`). A text is the mean of its tokens' vectors, of length 1. Not for Effect: the
 * training's thread reads tables too.
 */
import { createHash } from "node:crypto"
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs"
import path from "node:path"
import { Tokenizer } from "@huggingface/tokenizers"
import { TableLimits } from "./Limits.ts"
import { type EmbeddingTable, TableUnreadable } from "./Tables.ts"

const refuse = (reason: string): never => {
  throw new Error(reason)
}

/** Reads a whole file of a bounded size. */
const readBounded = (folder: string, file: string, bytesMax: number): Buffer => {
  let descriptor: number
  try {
    descriptor = openSync(path.join(folder, file), "r")
  } catch {
    return refuse(`${file} is missing`)
  }
  try {
    const { size } = fstatSync(descriptor)
    if (size > bytesMax) return refuse(`${file} has ${size} bytes, and at most ${bytesMax} are read`)
    const bytes = Buffer.alloc(size)
    let length = 0
    for (let read = -1; read !== 0 && length < size; length += read) {
      read = readSync(descriptor, bytes, length, size - length, length)
    }
    return length === size ? bytes : refuse(`${file} became shorter while it was read`)
  } finally {
    closeSync(descriptor)
  }
}

const jsonOf = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return refuse(`${file} is no JSON`)
  }
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** The tensor `embeddings` of a safetensors file: an 8-byte length, a JSON header, and the numbers. */
const tensorOf = (bytes: Buffer) => {
  if (bytes.length < 8) return refuse("model.safetensors is cut short")
  const headerBytes = Number(bytes.readBigUInt64LE(0))
  const start = 8 + headerBytes
  if (headerBytes > TableLimits.headerBytesMax || start > bytes.length) {
    return refuse("model.safetensors is cut short, or is no safetensors file")
  }
  const header = membersOf(jsonOf("the header of model.safetensors", bytes.toString("utf8", 8, start)))
  if ("mapping" in header || "weights" in header) {
    return refuse(
      "its tokens share vectors (the tensors mapping or weights): only a table with a vector per token is read"
    )
  }
  const { data_offsets, dtype, shape } = membersOf(header["embeddings"])
  if (!Array.isArray(shape) || shape.length !== 2 || !shape.every(isWhole) || !Array.isArray(data_offsets)) {
    return refuse("model.safetensors has no table `embeddings` of two dimensions")
  }
  if (dtype !== "F32") return refuse(`its numbers are ${String(dtype)}, and only F32 is read`)
  const [rows, dimensions] = shape as [number, number]
  const [from, to] = data_offsets
  if (!isWhole(from) || !isWhole(to) || to - from !== rows * dimensions * 4 || start + to > bytes.length) {
    return refuse("model.safetensors is cut short, or its header does not fit its numbers")
  }
  if (dimensions < 1 || dimensions > TableLimits.dimensionsMax) {
    return refuse(`it has ${dimensions} dimensions, and at most ${TableLimits.dimensionsMax} are read`)
  }
  // A copy: a view would have to begin at a multiple of 4.
  const copy = new Uint8Array(bytes.subarray(start + from, start + to)).buffer
  return { rows, dimensions, numbers: new Float32Array(copy) }
}

/** The id of the token that stands for unknown text; -1 for none. */
const unknownOf = (tokenizer: unknown): number => {
  const { unk_id, unk_token, vocab } = membersOf(membersOf(tokenizer)["model"])
  if (isWhole(unk_id)) return unk_id
  const id = typeof unk_token === "string" ? membersOf(vocab)[unk_token] : undefined
  return isWhole(id) ? id : -1
}

const tokenizerOf = (folder: string, text: string) => {
  const json = jsonOf("tokenizer.json", text)
  let config: unknown = {}
  try {
    config = JSON.parse(readFileSync(path.join(folder, "tokenizer_config.json"), "utf8"))
  } catch {
    // model2vec needs none.
  }
  try {
    const tokenizer = new Tokenizer(membersOf(json), membersOf(config))
    const unknown = unknownOf(json)
    return (text: string): ReadonlyArray<number> =>
      tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id: number) => id !== unknown)
  } catch (error) {
    return refuse(`tokenizer.json is of an unknown form: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const read = (folder: string, name: string): EmbeddingTable => {
  const bytes = readBounded(folder, "model.safetensors", TableLimits.tableBytesMax)
  const tokens = readBounded(folder, "tokenizer.json", TableLimits.tokenizerBytesMax)
  const { dimensions, numbers, rows } = tensorOf(bytes)
  const idsOf = tokenizerOf(folder, tokens.toString("utf8"))
  return {
    name,
    sha256: createHash("sha256").update(bytes).update(tokens).digest("hex"),
    dimensions,
    pool: (text, into) => {
      into.fill(0)
      const ids = idsOf(text.slice(0, TableLimits.charactersMax))
      for (const id of ids.slice(0, TableLimits.tokensMax)) {
        if (id >= rows) continue
        for (let k = 0; k < dimensions; k++) into[k] = into[k]! + numbers[id * dimensions + k]!
      }
      let squares = 0
      for (const value of into) squares += value * value
      const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
      for (let k = 0; k < dimensions; k++) into[k] = into[k]! * scale
    }
  }
}

/** Reads the table of a folder. `name`: as errors and students call it. */
export const open = (folder: string, name: string): EmbeddingTable | TableUnreadable => {
  try {
    return read(folder, name)
  } catch (error) {
    return new TableUnreadable(name, error instanceof Error ? error.message : String(error))
  }
}
