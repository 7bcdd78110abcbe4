/**
 * Which prompt a row is of (contract 16.37, 16.41): its system messages, without what changes from call to call. Two prompts
 * are one template where they are equal after folding case, white space, punctuation and numbers. Pure.
 */
import * as PromptKey from "./internal/PromptKey.ts"
import { type Message, textOf } from "./RowText.ts"

/** A number, also with decimals, a date or a time. */
const number = /\p{N}+(?:[.,:/-]\p{N}+)*/gu

/** Words alone, with 0 for every number. */
export const fold = (text: string): string => PromptKey.fold(text.replace(number, "0"))

/** The instruction of a conversation: its system messages, or nothing. */
export const instructionOf = (messages: ReadonlyArray<Message>): string =>
  messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(textOf)
    .join("\n")
