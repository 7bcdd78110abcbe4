/** By label, the weighted features of its name: a table of sparse rows. */
export interface NameFeatures {
  readonly offsets: Uint32Array
  readonly features: Uint32Array
  readonly values: Float32Array
}
