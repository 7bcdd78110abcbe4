/** The token that servers under test are started with. */
export const token = `svc_live_${"b".repeat(32)}`
