/** Headers of every stream of server-sent events. */

/** Prevents proxies from buffering or caching an unfinished response. */
export const unbufferedHeaders = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }
