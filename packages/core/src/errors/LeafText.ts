/** Describes a value that violates its schema, for the sender. */
import * as SchemaIssue from "effect/SchemaIssue"

/** A field that must be absent has the schema `Never`. */
const isUnwanted = (issue: SchemaIssue.Leaf): boolean =>
  issue._tag === "UnexpectedKey" || (issue._tag === "InvalidType" && issue.ast._tag === "Never")

export const leafText: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "MissingKey") return "This field is required"
  return isUnwanted(issue) ? "There is no such field" : SchemaIssue.defaultLeafHook(issue)
}
