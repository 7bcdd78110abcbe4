/** Rows as tokens of one model, as in the shipped trainer: by the model's chat template and tokenizer. */
import * as fs from "node:fs/promises"
import path from "node:path"
import { Template } from "@huggingface/jinja"
import { Tokenizer } from "@huggingface/tokenizers"
import type { Row } from "@limbeck/distill/dataset/Row"
import { exampleOf, type Message, textOf } from "@limbeck/distill/dataset/RowText"
import type { TokenCount } from "@limbeck/distill/recipe/StudentTokens"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readText } from "../../process/internal/Files.ts"

/** For base models without a template; the trainer has the same one. */
const plainTemplate =
  "{% for message in messages %}" +
  "{{ message.role | capitalize }}:\n{{ message.content }}" +
  "{{ eos_token if message.role == 'assistant' else '' }}\n" +
  "{% endfor %}" +
  "{% if add_generation_prompt %}Assistant:\n{% endif %}"

/** A token in the configuration is a text, or an object with the text. */
const Token = Schema.Union([Schema.String, Schema.Struct({ content: Schema.String })])

const Config = Schema.Struct({
  chat_template: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, template: Schema.String }))])
  ),
  bos_token: Schema.optionalKey(Schema.NullOr(Token)),
  eos_token: Schema.optionalKey(Schema.NullOr(Token))
})
type Config = typeof Config.Type

const decodeConfig = Schema.decodeUnknownSync(Config)
const decodeArguments = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const tokenText = (token: typeof Token.Type | null | undefined): string =>
  typeof token === "string" ? token : (token?.content ?? "")

const templateOf = ({ chat_template: told }: Config, file: string | null): string => {
  if (typeof told === "string") return told
  return told?.find(({ name }) => name === "default")?.template ?? file ?? plainTemplate
}

type Call = { readonly function?: { readonly arguments?: Schema.Json } & Record<string, Schema.Json> }

/** Templates encode arguments themselves, so they get the parsed object. */
const calledWith = (call: Call) => {
  const told = call.function?.arguments
  const read = typeof told === "string" ? Option.getOrUndefined(decodeArguments(told)) : undefined
  return { ...call, type: "function", function: { ...call.function, arguments: read ?? told } }
}

/** A message for templates: without nulls, with its content as text. */
const plain = (message: Message): Record<string, unknown> => {
  const { tool_calls: calls, ...rest } = Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== null)
  )
  return {
    ...rest,
    content: textOf(message),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls.map(calledWith) } : {})
  }
}

/** The tokens of a row: of its prompt, and of its completion. */
export type Count = (row: Row) => { readonly prompt: number; readonly completion: number }

/** Reads the files of a model; throws for an unknown form. */
export const open = async (folder: string): Promise<Count> => {
  const read = async (name: string) => JSON.parse(await fs.readFile(path.join(folder, name), "utf8"))
  const told = await read("tokenizer_config.json")
  const config = decodeConfig(told)
  const tokenizer = new Tokenizer(await read("tokenizer.json"), told)
  const template = new Template(templateOf(config, await readText(path.join(folder, "chat_template.jinja"))))
  const special = { bos_token: tokenText(config.bos_token), eos_token: tokenText(config.eos_token) }
  const length = (messages: ReadonlyArray<Message>, tools: Schema.Json | undefined, isPrompt: boolean): number => {
    const text = template.render({
      ...special,
      messages: messages.map(plain),
      tools: tools ?? null,
      add_generation_prompt: isPrompt
    })
    return tokenizer.encode(text, { add_special_tokens: false }).ids.length
  }
  return (row) => {
    const { completion, prompt } = exampleOf(row)
    const before = length(prompt, row.tools, true)
    return { prompt: before, completion: Math.max(0, length([...prompt, completion], row.tools, false) - before) }
  }
}

/** Of all rows together. */
export const sum = (rows: ReadonlyArray<Row>, count: Count): TokenCount =>
  rows.map(count).reduce(
    (all: TokenCount, { completion, prompt }) => ({
      rows: all.rows + 1,
      promptTokens: all.promptTokens + prompt,
      completionTokens: all.completionTokens + completion,
      longestTokens: Math.max(all.longestTokens, prompt + completion)
    }),
    { rows: 0, promptTokens: 0, completionTokens: 0, longestTokens: 0 }
  )
