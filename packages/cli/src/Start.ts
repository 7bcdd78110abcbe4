/** Prepares the process for the program, and loads it. */
if (process.argv.some((word) => word === "serve" || word === "up"))
  (await import("@limbeck/node/ProcessFlags")).relaunch()
const { load } = await import("./DotEnv.ts")
const { enable } = await import("./CompileCache.ts")
const given = { ...process.env }
load()
// `.env` may turn the cache off, but not name a folder whose code is executed.
enable({ ...given, COMPILE_CACHE: process.env["COMPILE_CACHE"] })
await import("./Program.ts")

export {}
