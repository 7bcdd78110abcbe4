/** `limbeck doctor`: what is wrong with the settings of a server, its machine, its database, and the server itself. */
import * as Result from "effect/Result"
import type { Output } from "../Output.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Settings from "../serve/Settings.ts"
import * as DatabaseChecks from "./DatabaseChecks.ts"
import { type Finding, fault, good } from "./Finding.ts"
import * as MachineChecks from "./MachineChecks.ts"
import * as ServerChecks from "./ServerChecks.ts"

const examined = async (environment: Environment): Promise<ReadonlyArray<Finding>> => {
  const read = Settings.fromEnvironment(environment, false)
  if (Result.isFailure(read)) return [fault("settings", read.failure)]
  const settings = read.success
  const groups = await Promise.all([
    MachineChecks.folders(settings),
    MachineChecks.secrets(settings),
    MachineChecks.ray(settings),
    DatabaseChecks.database(settings),
    ServerChecks.server(environment)
  ])
  const single = await Promise.all([
    MachineChecks.disk(settings),
    MachineChecks.catalog(settings),
    MachineChecks.trainer(environment, settings),
    MachineChecks.port(settings)
  ])
  return [good("settings", "each can be read"), ...groups.flat(), ...single]
}

const signs: Readonly<Record<Finding["state"], string>> = { good: "ok", skipped: "--", warning: "??", fault: "!!" }

/** Returns the exit code of the process: 1 where there is a fault. */
export const run = async (environment: Environment, output: Output): Promise<number> => {
  const findings = await examined(environment)
  for (const finding of findings) output.result(finding, `${signs[finding.state]} ${finding.check}: ${finding.message}`)
  const faults = findings.filter(({ state }) => state === "fault").length
  output.note(faults === 0 ? "Nothing is wrong that can be seen from here." : `Faults: ${faults}`)
  return faults === 0 ? 0 : 1
}
