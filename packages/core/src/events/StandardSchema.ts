/** The used part of Standard Schema v1, supported by zod, valibot, arktype and effect (https://standardschema.dev). */
import type { Segment } from "../errors/FieldPath.ts"

interface Issue {
  readonly message: string
  readonly path?: ReadonlyArray<Segment> | undefined
}

interface Verdict {
  /** Absent when the value is right. */
  readonly issues?: ReadonlyArray<Issue> | undefined
}

/** What a schema takes and gives, for the compiler alone. */
interface SchemaTypes {
  readonly input: unknown
  readonly output: unknown
}

export interface StandardSchema {
  readonly "~standard": {
    readonly types?: SchemaTypes | undefined
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Verdict | Promise<Verdict>
  }
}
