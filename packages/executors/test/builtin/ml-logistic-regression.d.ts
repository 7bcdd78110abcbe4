/** The library ships no types; this is what the reference uses of it. */
declare module "ml-logistic-regression" {
  import type { Matrix } from "ml-matrix"

  export default class LogisticRegression {
    constructor(options: { readonly numSteps: number; readonly learningRate: number })
    train(features: Matrix, target: Matrix): void
    predict(features: Matrix): ReadonlyArray<number>
  }
}
