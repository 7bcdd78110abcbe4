/** Contents of the Responses API as chat completions write them. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { contentOf, filePart, imagePart, textPart } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"

type Json = Schema.Json

const partOf = (part: Json): Json | undefined => {
  if (!isObject(part)) return undefined
  const { file_data, file_id, file_url, filename, image_url, refusal, text } = part
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return typeof text === "string" ? textPart(text) : undefined
    case "refusal":
      return typeof refusal === "string" ? { type: "refusal", refusal } : undefined
    case "input_image":
      return typeof image_url === "string" ? imagePart(image_url, part["detail"]) : filePart({ file_id })
    case "input_file":
      return filePart({ file_data, file_id, file_url, filename })
    case "input_audio":
      return part
    default:
      return undefined
  }
}

/** `param`: the path of the content. */
export const read = (content: Json | undefined, param: string): Result.Result<Json, Inexpressible> => {
  if (typeof content === "string") return Result.succeed(content)
  if (!Array.isArray(content)) return Result.fail(inexpressible(param, "A content is a text or a list of parts"))
  const parts = content.map(partOf)
  const odd = parts.indexOf(undefined)
  return odd === -1
    ? Result.succeed(contentOf(parts.filter((part) => part !== undefined)))
    : Result.fail(inexpressible(`${param}[${odd}]`, "A chat completion has no such part"))
}
