/** The token of servers under test. */
export const token = `svc_live_${"b".repeat(32)}`
