/** Content blocks of Anthropic's messages as parts of a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { contentOf, dataUrl, filePart, imagePart, textPart } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

/** The URL of a source: its own, or one that holds its data. */
const urlOf = ({ data, media_type, type, url }: Members): string | undefined => {
  if (type === "url" && typeof url === "string") return url
  if (type === "base64" && typeof data === "string" && typeof media_type === "string") return dataUrl(media_type, data)
  return undefined
}

const imageOf = (source: Members): Json | undefined => {
  if (source["type"] === "file") return filePart({ file_id: source["file_id"] })
  const url = urlOf(source)
  return url === undefined ? undefined : imagePart(url)
}

const documentOf = (source: Members, title: Json | undefined): Json | undefined => {
  const { data, type } = source
  const filename = typeof title === "string" ? title : undefined
  if (type === "file") return filePart({ file_id: source["file_id"], filename })
  if (type === "text" && typeof data === "string") return filePart({ file_data: `data:text/plain,${data}`, filename })
  const url = urlOf(source)
  if (url === undefined) return undefined
  return filePart(type === "url" ? { file_url: url, filename } : { file_data: url, filename })
}

const partOf = (block: Members): Json | undefined => {
  const { source, text, title, type } = block
  if (type === "text") return typeof text === "string" ? textPart(text) : undefined
  if (!isObject(source)) return undefined
  if (type === "image") return imageOf(source)
  return type === "document" ? documentOf(source, title) : undefined
}

/** The parts of blocks without tools; `param`: the path of the list. */
export const readParts = (
  blocks: ReadonlyArray<Json>,
  param: string
): Result.Result<ReadonlyArray<Json>, Inexpressible> => {
  const parts: Array<Json> = []
  for (const [index, block] of blocks.entries()) {
    const part = isObject(block) ? partOf(block) : undefined
    if (part === undefined) {
      return Result.fail(inexpressible(`${param}[${index}]`, "A chat completion has no such block"))
    }
    parts.push(part)
  }
  return Result.succeed(parts)
}

/** A text, or the parts of blocks without tools; absent content is the empty text. */
export const read = (content: Json | undefined, param: string): Result.Result<Json, Inexpressible> => {
  if (content === undefined || content === null) return Result.succeed("")
  if (typeof content === "string") return Result.succeed(content)
  return Array.isArray(content)
    ? Result.map(readParts(content, param), contentOf)
    : Result.fail(inexpressible(param, "A content is a text or a list of blocks"))
}
