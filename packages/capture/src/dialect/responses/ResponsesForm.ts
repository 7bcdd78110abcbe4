/** What a request of the Responses API says of the answer's form, as members of a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import { present } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const ownTools: ReadonlyArray<Json | undefined> = ["function", "custom"]

const isOwn = (tool: Json): tool is Members => isObject(tool) && ownTools.includes(tool["type"])

const toolOf = ({ type, ...described }: Members): Members =>
  type === "custom" ? { type, custom: present(described) } : { type: "function", function: present(described) }

/** The name of a tool, as a chat completion refers to it. */
const nameOf = ({ name, type }: Members): Members =>
  type === "custom" ? { type, custom: { name: name ?? null } } : { type: "function", function: { name: name ?? null } }

const choiceOf = (choice: Json | undefined): Json | undefined => {
  if (!isObject(choice)) return choice
  if (isOwn(choice)) return nameOf(choice)
  const { mode, tools, type } = choice
  const all: ReadonlyArray<Json> = Array.isArray(tools) ? tools : []
  const own = all.filter(isOwn).map(nameOf)
  return type === "allowed_tools" && own.length > 0 && own.length === all.length
    ? { type, allowed_tools: present({ mode, tools: own }) }
    : undefined
}

const formatOf = (format: Json | undefined): Json | undefined => {
  if (!isObject(format)) return undefined
  const { type, ...described } = format
  return type === "json_schema" ? { type, json_schema: present(described) } : format
}

interface Form {
  readonly form: Members
  readonly inexpressible: ReadonlyArray<Inexpressible>
}

export const read = ({ parallel_tool_calls, text, tool_choice, tools }: Members): Form => {
  const all = Array.isArray(tools) ? tools : []
  const providers = all.flatMap((tool, index) =>
    isOwn(tool) ? [] : [inexpressible(`tools[${index}]`, "The provider runs this tool itself", "provider_tool")]
  )
  const own = all.filter(isOwn).map(toolOf)
  const choice = choiceOf(tool_choice)
  const isLost = tool_choice !== undefined && tool_choice !== null && choice === undefined
  const lost = isLost ? [inexpressible("tool_choice", "The provider runs this tool itself", "provider_tool")] : []
  return {
    form: present({
      tools: own.length === 0 ? undefined : own,
      tool_choice: own.length === 0 ? undefined : choice,
      parallel_tool_calls: own.length === 0 ? undefined : parallel_tool_calls,
      response_format: formatOf(isObject(text) ? text["format"] : undefined)
    }),
    inexpressible: [...providers, ...lost]
  }
}
