/** What every answer says that is a stream of server-sent events. */

/** Nobody on the way keeps an answer that is not done yet. */
export const unbuffered = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }
