/** `limbeck deploy`: puts a student behind an alias, and waits until it can answer. */
import { CommandError } from "./CommandError.ts"
import type { Command } from "./Remote.ts"

export interface DeployOptions {
  readonly student: string
  readonly alias: string
  readonly mode: "active" | "shadow"
  /** Who answers where the student does not: `source/model`. */
  readonly fallback?: string | undefined
  readonly belowConfidence?: number | undefined
  readonly fields: "whole" | "closed_only"
}

const fallbackOf = ({ belowConfidence, fallback }: DeployOptions) => {
  if (fallback === undefined) return {}
  const [source = "", ...model] = fallback.split("/")
  if (source === "" || model.join("") === "")
    throw new CommandError("--fallback: must be a source and a model, such as openai/gpt-4.1")
  const confidence = belowConfidence === undefined ? {} : { below_confidence: belowConfidence }
  return { fallback: { source, model: model.join("/"), ...confidence } }
}

export const deploy =
  (options: DeployOptions): Command =>
  async (client, output) => {
    const { alias, fields, mode, student } = options
    const body = { alias, mode, fields, student_model: student, ...fallbackOf(options) }
    const { id } = await client.deployments.create(body)
    const deployment = await client.deployments.wait(id)
    output.result(deployment, `${id} ${deployment.status}, ${deployment.mode}: svc:${alias}`)
    return deployment.status === "ready" ? 0 : 1
  }
