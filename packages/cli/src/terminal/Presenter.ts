/** How help, the version and wrong commands are shown: as text, or with `--json` as JSON. */

import * as Context from "effect/Context"
import * as CliOutput from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Terminal from "./Terminal.ts"

const asJson = (event: CliOutput.Presenter.Event): void => {
  switch (event._tag) {
    case "Help":
      Terminal.json(event.helpDoc)
      break
    case "Version":
      Terminal.json({ name: event.name, version: event.version })
      break
    case "InvalidInvocation":
      Terminal.failure({ code: "usage", lines: event.errors.map(({ message }) => message) })
  }
}

const asText = (event: CliOutput.Presenter.Event, canColor: boolean): void => {
  const formatter = CliOutput.defaultFormatter({ colors: canColor })
  switch (event._tag) {
    case "Help":
      Terminal.own(formatter.formatHelpDoc(event.helpDoc))
      break
    case "Version":
      Terminal.own(formatter.formatVersion(event.name, event.version))
      break
    case "InvalidInvocation": {
      // Not the whole help: an error would scroll away behind it.
      const usage = `Usage: ${event.helpDoc.usage}; --help shows all flags`
      Terminal.failure({ code: "usage", lines: [...event.errors.map(({ message }) => message), usage] })
    }
  }
}

export const layer = CliOutput.layerPresenter({
  present: (event) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => {
        const { canColor } = Context.get(context, TerminalCapabilities.TerminalCapabilities)
        if (Terminal.isJson()) asJson(event)
        else asText(event, canColor)
      })
    )
})
