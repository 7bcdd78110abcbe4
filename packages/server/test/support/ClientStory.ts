/** What tests of stock clients begin with: a source of each dialect, sources that never answer, and a student behind `svc:end`. */
import { deployAndWait, llm, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { create } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { key, type Models } from "@limbeck/testing/upstream/Models"
import { versionOfCalls } from "./Captured.ts"
import { expectStatus } from "./Client.ts"
import { answering } from "./Dialects.ts"
import type { House } from "./House.ts"
import { newest } from "./Provider.ts"

/** The student is at an endpoint that speaks chat completions. */
export const begin = async (house: House, upstream: Models) => {
  const { live, liveToken } = await house.workspace()
  await create(live, { base_url: upstream.base(answering), default: true, name: "gpts" })
  await create(live, { base_url: upstream.base(answering), dialect: "anthropic", name: "claudes" })
  const silent = upstream.base(() => {})
  await create(live, { base_url: silent, name: "silent-gpts" })
  await create(live, { base_url: silent, dialect: "anthropic", name: "silent-claudes" })
  const student_model = await studentOf(live, llm, (await ticketsVersion(live)).id)
  const endpoint = { base_url: upstream.base(answering), model: "student-1", api_key: key }
  await deployAndWait(live, { alias: "end", student_model, mode: "active", endpoint })
  return { live, silent, apiKey: liveToken, baseURL: `${house.origin}/v1/proxy` }
}

export type ClientStory = Awaited<ReturnType<typeof begin>>

/** The rows of the calls, once so many are captured. */
export const rowsOf = async ({ live }: Pick<ClientStory, "live">, calls: number) => {
  await newest(live, calls)
  const version = await versionOfCalls(live, {})
  const path = `/v1/distill/dataset_versions/${version.id}/rows?limit=100`
  const { data } = expectStatus(
    await live.get<{ readonly data: ReadonlyArray<Readonly<Record<string, unknown>>> }>(path),
    200
  )
  return { version, data }
}
