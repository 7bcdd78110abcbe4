/** The prompts of a version's rows, counted in bounded memory: beyond the bound, the rarest are forgotten. */
import * as Id from "@limbeck/core/ids/Id"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { DistillLimits } from "../../Limits.ts"
import { fold } from "../TemplateRules.ts"
import type { VersionTemplate } from "../VersionTemplate.ts"

const utf8 = new TextEncoder()

interface SeenTemplate {
  rows: number
  readonly sample: string
}

export class TemplateTable {
  readonly #seen = new Map<string, SeenTemplate>()
  /** The last instruction and its folded form: rows of one template often follow each other. */
  #last = { instruction: "", folded: "" }
  #rows = 0

  add(instruction: string): void {
    if (instruction !== this.#last.instruction) this.#last = { instruction, folded: fold(instruction) }
    const { folded } = this.#last
    const seen = this.#seen.get(folded)
    this.#rows++
    if (seen !== undefined) {
      seen.rows++
      return
    }
    this.#seen.set(folded, { rows: 1, sample: instruction.slice(0, DistillLimits.templateSampleMax) })
    if (this.#seen.size > 2 * DistillLimits.templatesSeenMax) this.#forget()
  }

  #byRows(): ReadonlyArray<readonly [string, SeenTemplate]> {
    return [...this.#seen].toSorted(([a, { rows: many }], [b, { rows: few }]) => few - many || (a < b ? -1 : 1))
  }

  #forget(): void {
    for (const [folded] of this.#byRows().slice(DistillLimits.templatesSeenMax)) this.#seen.delete(folded)
  }

  /** Those with the most rows first. */
  get templates(): Effect.Effect<ReadonlyArray<VersionTemplate>, never, Digest> {
    return Effect.forEach(this.#byRows().slice(0, DistillLimits.templatesMax), ([folded, { rows, sample }]) =>
      Effect.map(
        Effect.flatMap(Digest, (digests) => digests.digest(sha256, utf8.encode(folded))),
        (digest) => ({ id: Id.fromDigest("tpl", digest), rows, share: rows / this.#rows, sample })
      )
    )
  }
}
