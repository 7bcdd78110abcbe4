/** The two usual OpenAPI linters, with their default rules. */
import * as redocly from "@redocly/openapi-core"
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"

const { Spectral } = spectralCore

/** What Redocly's `recommended` rules say, warnings too. */
export const redoclyFaults = async (text: string): Promise<ReadonlyArray<string>> => {
  const config = await redocly.createConfig({ extends: ["recommended"] })
  const problems = await redocly.lintFromString({ source: text, absoluteRef: "openapi.json", config })
  return problems.map(({ location, message, ruleId }) => `redocly ${ruleId}: ${message} ${location[0]?.pointer ?? ""}`)
}

/** What Spectral's `spectral:oas` says, warnings too. */
export const spectralFaults = async (text: string): Promise<ReadonlyArray<string>> => {
  const spectral = new Spectral()
  // Its declared type lacks `extends`, which a ruleset may do without.
  spectral.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition] })
  const problems = await spectral.run(text)
  return problems.map(({ code, message, path }) => `spectral ${code}: ${message} ${path.join("/")}`)
}
