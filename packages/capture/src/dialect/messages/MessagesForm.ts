/** What a request of Anthropic's messages says of the answer's form, as members of a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import { present } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const isOwn = (tool: Json): tool is Members =>
  isObject(tool) && (tool["type"] === undefined || tool["type"] === null || tool["type"] === "custom")

const toolOf = ({ description, input_schema, name, strict }: Members): Members => ({
  type: "function",
  function: present({ name, description, parameters: input_schema, strict })
})

const choices: Readonly<Record<string, string>> = { auto: "auto", any: "required", none: "none" }

const choiceOf = (choice: Json | undefined): Json | undefined => {
  if (!isObject(choice)) return undefined
  const { name, type } = choice
  if (type === "tool") return { type: "function", function: { name: name ?? null } }
  return typeof type === "string" ? choices[type] : undefined
}

/** Anthropic's formats have no name, which chat completions require. */
const formatName = "response"

const formatOf = ({ output_config, output_format }: Members): Json | undefined => {
  const format = isObject(output_config) ? output_config["format"] : output_format
  return isObject(format) && format["type"] === "json_schema"
    ? { type: "json_schema", json_schema: present({ name: formatName, schema: format["schema"] }) }
    : undefined
}

interface Form {
  readonly form: Members
  readonly inexpressible: ReadonlyArray<Inexpressible>
}

export const read = (request: Members): Form => {
  const { tool_choice, tools } = request
  const all = Array.isArray(tools) ? tools : []
  const own = all.filter(isOwn).map(toolOf)
  const isSerial = isObject(tool_choice) && tool_choice["disable_parallel_tool_use"] === true
  return {
    form: present({
      tools: own.length === 0 ? undefined : own,
      tool_choice: own.length === 0 ? undefined : choiceOf(tool_choice),
      parallel_tool_calls: own.length > 0 && isSerial ? false : undefined,
      response_format: formatOf(request)
    }),
    inexpressible: all.flatMap((tool, index) =>
      isOwn(tool) ? [] : [inexpressible(`tools[${index}]`, "The provider defines this tool itself", "provider_tool")]
    )
  }
}
