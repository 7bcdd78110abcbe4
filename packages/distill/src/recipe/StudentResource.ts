/** Renders an entry of the student catalog for the API (contract 5). */
import * as Rendered from "@limbeck/core/resources/Rendered"
import * as Schema from "effect/Schema"
import type { StudentBase } from "./StudentBase.ts"

export const StudentBaseResource = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("student_base"),
  engine: Schema.Literals(["builtin", "llm"]),
  parameters: Schema.NullOr(Schema.Int),
  context_length: Schema.Int,
  stages: Schema.Array(Schema.String),
  cases: Schema.Array(Schema.String),
  license: Schema.String
}).annotate({ identifier: "StudentBase" })

export const render = Rendered.by(StudentBaseResource, (student: StudentBase) => ({
  id: student.id,
  object: "student_base",
  engine: student.engine,
  parameters: student.parameters,
  context_length: student.contextLength,
  stages: student.stages,
  cases: student.cases,
  license: student.license
}))
