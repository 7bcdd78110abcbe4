/** What the settings say of the log. Each record is one printable line; a cause adds lines. */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Terminal from "../terminal/Terminal.ts"
import type { Settings } from "./Settings.ts"

const messageOf = (message: unknown): string =>
  [message]
    .flat()
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join(" ")

const fieldsOf = (fields: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(fields).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)

const pretty = Logger.make((options) => {
  const { annotations, cause, level, message, spans, timestamp } = Logger.formatStructured.log(options)
  Terminal.line(
    [timestamp, level.toUpperCase(), messageOf(message), ...fieldsOf(annotations), ...fieldsOf(spans)].join(" ")
  )
  for (const line of cause?.split("\n") ?? []) Terminal.line(`  ${line}`)
})

const json = Logger.make((options) => Terminal.json(Logger.formatStructured.log(options)))

export const layer = ({ logFormat, logLevel }: Settings) =>
  Layer.merge(Logger.layer([logFormat === "json" ? json : pretty]), Layer.succeed(References.MinimumLogLevel, logLevel))
