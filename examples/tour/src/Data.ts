/** From captured calls to a version that runs can be made on. */
import type { Api } from "./Api.ts"
import { type CaptureResult, sourceName } from "./Capture.ts"
import { claim, claimEqual } from "./Claims.ts"
import { step } from "./Screen.ts"
import type { Dataset, Version } from "./Wire.ts"

/** A part large enough to judge a student by, of so few rows. */
const holdoutFraction = 0.2

const build = async (api: Api, { calls, sorted }: CaptureResult): Promise<Version> => {
  const dataset = await api.create<Dataset>("/v1/distill/datasets", { name: "tickets" })
  const created = await api.create<Version>(`/v1/distill/datasets/${dataset.id}/versions`, {
    from: { calls: { source: sourceName } },
    holdout_fraction: holdoutFraction
  })
  const version = await api.pollUntil(
    "The dataset version",
    () => api.get<Version>(`/v1/distill/dataset_versions/${created.id}`),
    ({ status }) => status !== "building"
  )
  const distinct = new Set(sorted.map(({ ticket }) => JSON.stringify(ticket.messages))).size
  claimEqual(version.status, "ready", "The status of the dataset version")
  claimEqual(version.rows, distinct, "The number of rows of the version")
  claimEqual(version.dropped.duplicates, calls.length - distinct, "The number of duplicates dropped")
  claimEqual(version.train_rows + version.holdout_rows, version.rows, "Train and holdout rows together")
  claim(version.holdout_rows > 0, "The version ought to hold rows back")
  return version
}

export const prepare = (api: Api, captured: CaptureResult): Promise<Version> =>
  step("Build a dataset version of them", async () => {
    const built = await build(api, captured)
    const { dropped, holdout_rows, train_rows } = built
    return [built, `${train_rows} train, ${holdout_rows} holdout, ${dropped.duplicates} duplicates dropped`]
  })
