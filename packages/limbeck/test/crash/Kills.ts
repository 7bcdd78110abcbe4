/** How often a test kills its process: `usual` times among all other tests, and as often as `KILLS` says where it is set. */
export const killsOr = (usual: number): number => Number(process.env["KILLS"] ?? usual)
