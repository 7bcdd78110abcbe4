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

const isShared = (value: unknown): value is { readonly $ref: string } =>
  typeof value === "object" &&
  value !== null &&
  "$ref" in value &&
  `${value.$ref}`.startsWith("#/components/responses/")

/**
 * The document with each shared response where it is used first, and its description alone elsewhere. Spectral compiles the schema
 * of an example for each use.
 */
const withoutRepeats = (text: string): string => {
  const used = new Set<string>()
  const once = (_: string, value: unknown) => {
    if (!isShared(value)) return value
    if (used.has(value.$ref)) return { description: value.$ref }
    used.add(value.$ref)
    return value
  }
  return JSON.stringify(JSON.parse(text, once))
}

/** What Spectral's `spectral:oas` says, warnings too. */
export const spectralFaults = async (text: string): Promise<ReadonlyArray<string>> => {
  const spectral = new Spectral()
  // Its declared type lacks `extends`, which a ruleset may do without.
  spectral.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition] })
  const problems = await spectral.run(withoutRepeats(text))
  return problems.map(({ code, message, path }) => `spectral ${code}: ${message} ${path.join("/")}`)
}
