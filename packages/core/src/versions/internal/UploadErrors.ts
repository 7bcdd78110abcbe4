/** 2026-11-01: an entry of an upload's `errors` is `{line, message}`. Earlier versions had one sentence: `line 3: …`. */
import { isObject } from "../../json/Json.ts"
import type { Change } from "../Change.ts"

export const uploadErrors: Change = {
  since: "2026-11-01",
  object: "upload",
  events: "distill.upload.*",
  before: (upload) => {
    const { errors } = upload
    if (!Array.isArray(errors)) return upload
    return {
      ...upload,
      errors: errors.map((error) => (isObject(error) ? `line ${error["line"]}: ${error["message"]}` : error))
    }
  }
}
