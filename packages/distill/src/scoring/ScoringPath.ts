/** Where a server takes completions of a run's trainer to score, from its own address: beside `/v1`, for it is told and not published. */
export const scoringPath = (run: string) => `/trainer/runs/${run}/scores` as const
