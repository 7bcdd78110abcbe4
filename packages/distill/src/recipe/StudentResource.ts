/** Renders an entry of the student catalog for the API (contract 5). */
import type { StudentBase } from "./StudentBase.ts"

export const render = (student: StudentBase) => ({
  id: student.id,
  object: "student_base" as const,
  engine: student.engine,
  parameters: student.parameters,
  context_length: student.contextLength,
  stages: student.stages,
  cases: student.cases,
  license: student.license
})
