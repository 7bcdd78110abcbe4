/** Kills per test: `usual` among all other tests, or `KILLS` from the environment. */
export const killsOr = (usual: number): number => Number(process.env["KILLS"] ?? usual)
