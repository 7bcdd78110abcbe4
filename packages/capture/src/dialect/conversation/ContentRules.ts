/** Contents of messages in their canonical form: texts, images and files as chat completions write them. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"

type Json = Schema.Json
type Members = Schema.JsonObject

export const textPart = (text: string): Members => ({ type: "text", text })

/** `auto` is the default detail. */
export const imagePart = (url: string, detail?: Json): Members => ({
  type: "image_url",
  image_url: detail === undefined || detail === null || detail === "auto" ? { url } : { url, detail }
})

export const dataUrl = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`

/** The members without those that are null or absent. */
export const present = (members: Readonly<Record<string, Json | undefined>>): Members => {
  const kept: Record<string, Json> = {}
  for (const name in members) {
    const value = members[name]
    if (value !== undefined && value !== null) kept[name] = value
  }
  return kept
}

/** A file by its id, its data or its URL. */
export const filePart = (file: Readonly<Record<string, Json | undefined>>): Members => ({
  type: "file",
  file: present(file)
})

const isText = (part: Json): part is Members & { readonly text: string } =>
  isObject(part) && part["type"] === "text" && typeof part["text"] === "string"

/** A single text is that text; no part is the empty text. */
export const contentOf = (parts: ReadonlyArray<Json>): Json => {
  const [first] = parts
  if (first === undefined) return ""
  return parts.length === 1 && isText(first) ? first.text : parts
}

/** Types of parts that hold a model's thoughts. */
const thoughts: ReadonlyArray<Json | undefined> = ["thinking", "redacted_thinking", "reasoning"]

const canonicalPart = (part: Json): Json => {
  if (!isObject(part)) return part
  if (isText(part)) return textPart(part.text)
  const { cache_control: _, ...members } = part
  const image = members["image_url"]
  return members["type"] === "image_url" && isObject(image) && typeof image["url"] === "string"
    ? imagePart(image["url"], image["detail"])
    : members
}

/** The parts of a content, without thoughts and cache marks; undefined if it is neither a text nor a list. */
export const partsOf = (content: Json | undefined): ReadonlyArray<Json> | undefined => {
  if (typeof content === "string") return content === "" ? [] : [textPart(content)]
  return Array.isArray(content)
    ? content.filter((part) => !(isObject(part) && thoughts.includes(part["type"]))).map(canonicalPart)
    : undefined
}

/** The content in its canonical form; any other value stays unchanged. */
export const canonical = (content: Json | undefined): Json | undefined => {
  const parts = partsOf(content)
  return parts === undefined ? content : contentOf(parts)
}

/** The texts of parts, joined; undefined if one is no text. */
export const joinedText = (parts: ReadonlyArray<Json>): string | undefined =>
  parts.every(isText) ? parts.map(({ text }) => text).join("") : undefined
