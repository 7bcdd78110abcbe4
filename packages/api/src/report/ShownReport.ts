import type { Report } from "../distill/ReportsApi.ts"

type Answer = typeof Report.Encoded

/** A report as JSON: ids are texts, and its recipe is opaque. */
export interface ShownReport extends Omit<Answer, "provenance" | "questions"> {
  readonly questions: ReadonlyArray<Omit<Answer["questions"][number], "question"> & { readonly question: string }>
  readonly provenance: Omit<Answer["provenance"], "recipe"> & { readonly recipe: unknown }
}
