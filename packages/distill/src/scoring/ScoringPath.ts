/** A server's path for scoring a run's completions, beside `/v1`, because it is given to trainers and not published. */
export const scoringPath = (run: string) => `/trainer/runs/${run}/scores` as const
