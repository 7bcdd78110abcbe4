/** What the lines of a content turn out to be: all rows, or mistakes. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../../Limits.ts"
import type { LineError } from "../Upload.ts"
import type { Findings } from "../UploadMachine.ts"
import type { ContentRefused, ReadLine } from "./UploadContent.ts"

/** Of a file of rows. */
export interface RowFindings extends Findings {
  readonly rows: number
}

const nothing: RowFindings = { rows: 0, errors: [], errorCount: 0 }

const withError = (found: RowFindings, error: LineError): RowFindings => ({
  rows: found.rows,
  errors: found.errors.length < DistillLimits.uploadErrorsMax ? [...found.errors, error] : found.errors,
  errorCount: found.errorCount + 1
})

const withLine = (found: RowFindings, { content, line }: ReadLine): RowFindings =>
  Result.isSuccess(content) ? { ...found, rows: found.rows + 1 } : withError(found, { line, message: content.failure })

/** Reads all lines. A refusal of the whole file is then the only reported error. */
export const survey = (
  lines: Stream.Stream<ReadLine, ContentRefused | StorageError>
): Effect.Effect<RowFindings, StorageError> =>
  Stream.runFold(lines, () => nothing, withLine).pipe(
    Effect.catchTag("ContentRefused", ({ message }) => Effect.succeed(withError(nothing, { line: 0, message })))
  )
