/** What the settings say of the log. */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { Settings } from "./Settings.ts"

export const layer = ({ logFormat, logLevel }: Settings) =>
  Layer.merge(
    Logger.layer([logFormat === "json" ? Logger.consoleJson : Logger.consolePretty()]),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )
