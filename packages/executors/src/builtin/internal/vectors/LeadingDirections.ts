/**
 * The leading eigenvectors of a sparse symmetric matrix by random projection and subspace iteration (Halko, Martinsson and Tropp,
 * "Finding structure with randomness", 2011), and Jacobi's method for the small projected matrix. The same matrix and seed give the
 * same directions.
 */
import { generator } from "../Hashing.ts"
import type { SparseMatrix } from "./CoOccurrences.ts"

/** Row-major: row r has the numbers `r * width` to `(r + 1) * width`. */
export interface Directions {
  readonly width: number
  readonly rows: Float64Array
  /** By descending magnitude. */
  readonly values: ReadonlyArray<number>
}

const multiply = ({ columns, offsets, size, values }: SparseMatrix, block: Float64Array, width: number) => {
  const result = new Float64Array(block.length)
  for (let row = 0; row < size; row++) {
    const into = row * width
    for (let k = offsets[row]!; k < offsets[row + 1]!; k++) {
      const from = columns[k]! * width
      const value = values[k]!
      for (let at = 0; at < width; at++) result[into + at] = result[into + at]! + value * block[from + at]!
    }
  }
  return result
}

/** Makes the columns orthogonal and of length 1 by Gram and Schmidt's method, modified, in place; a dependent column becomes 0. */
const orthogonalize = (block: Float64Array, width: number): void => {
  const rows = block.length / width
  for (let column = 0; column < width; column++) {
    let squares = 0
    for (let row = 0; row < rows; row++) squares += block[row * width + column]! ** 2
    const scale = squares > 1e-20 ? 1 / Math.sqrt(squares) : 0
    const products = new Float64Array(width)
    for (let row = 0; row < rows; row++) {
      const base = row * width
      const value = block[base + column]! * scale
      block[base + column] = value
      for (let other = column + 1; other < width; other++) {
        products[other] = products[other]! + value * block[base + other]!
      }
    }
    for (let row = 0; row < rows; row++) {
      const base = row * width
      const value = block[base + column]!
      for (let other = column + 1; other < width; other++) {
        block[base + other] = block[base + other]! - products[other]! * value
      }
    }
  }
}

/** `left` transposed times `right`. */
const project = (left: Float64Array, right: Float64Array, width: number): Float64Array => {
  const small = new Float64Array(width * width)
  for (let base = 0; base < left.length; base += width) {
    for (let one = 0; one < width; one++) {
      const value = left[base + one]!
      for (let other = 0; other < width; other++) {
        small[one * width + other] = small[one * width + other]! + value * right[base + other]!
      }
    }
  }
  return small
}

const sweeps = 30

/** Rotates two columns of a matrix. */
const rotateColumns = (matrix: Float64Array, width: number, one: number, other: number, cos: number, sin: number) => {
  for (let row = 0; row < width; row++) {
    const a = matrix[row * width + one]!
    const b = matrix[row * width + other]!
    matrix[row * width + one] = cos * a - sin * b
    matrix[row * width + other] = sin * a + cos * b
  }
}

const rotateRows = (matrix: Float64Array, width: number, one: number, other: number, cos: number, sin: number) => {
  for (let column = 0; column < width; column++) {
    const a = matrix[one * width + column]!
    const b = matrix[other * width + column]!
    matrix[one * width + column] = cos * a - sin * b
    matrix[other * width + column] = sin * a + cos * b
  }
}

/** Eigenvalues on the diagonal of `matrix`, in place; returns the eigenvectors as columns. */
const diagonalize = (matrix: Float64Array, width: number): Float64Array => {
  const vectors = new Float64Array(width * width)
  for (let at = 0; at < width; at++) vectors[at * width + at] = 1
  for (let sweep = 0; sweep < sweeps; sweep++) {
    let rest = 0
    for (let one = 0; one < width - 1; one++) {
      for (let other = one + 1; other < width; other++) {
        const between = matrix[one * width + other]!
        rest += between * between
        if (Math.abs(between) < 1e-12) continue
        const ratio = (matrix[other * width + other]! - matrix[one * width + one]!) / (2 * between)
        const tangent = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1))
        const cos = 1 / Math.sqrt(tangent * tangent + 1)
        const sin = tangent * cos
        rotateColumns(matrix, width, one, other, cos, sin)
        rotateRows(matrix, width, one, other, cos, sin)
        rotateColumns(vectors, width, one, other, cos, sin)
      }
    }
    if (rest < 1e-18) break
  }
  return vectors
}

const randomSigns = (length: number, seed: number): Float64Array => {
  const next = generator(seed)
  return Float64Array.from({ length }, () => (next() & 1) * 2 - 1)
}

export interface DirectionSettings {
  readonly dimensions: number
  readonly oversampling: number
  readonly passes: number
  readonly seed: number
}

/** Yields between passes, each of which takes a fraction of a second. */
export function* leading(
  matrix: SparseMatrix,
  { dimensions, oversampling, passes, seed }: DirectionSettings
): Generator<void, Directions> {
  const width = Math.min(dimensions + oversampling, matrix.size)
  let basis = randomSigns(matrix.size * width, seed)
  for (let pass = 0; pass < passes; pass++) {
    basis = multiply(matrix, basis, width)
    yield
    orthogonalize(basis, width)
    yield
  }
  const small = project(basis, multiply(matrix, basis, width), width)
  yield
  const vectors = diagonalize(small, width)
  const order = Array.from({ length: width }, (_, at) => at)
    .toSorted((a, b) => Math.abs(small[b * width + b]!) - Math.abs(small[a * width + a]!) || a - b)
    .slice(0, dimensions)
  const rows = new Float64Array(matrix.size * order.length)
  for (let row = 0; row < matrix.size; row++) {
    for (const [to, from] of order.entries()) {
      let sum = 0
      for (let at = 0; at < width; at++) sum += basis[row * width + at]! * vectors[at * width + from]!
      rows[row * order.length + to] = sum
    }
  }
  return { width: order.length, rows, values: order.map((at) => small[at * width + at]!) }
}
