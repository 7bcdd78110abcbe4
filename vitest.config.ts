import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

const conditions = ["@limbeck/source"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // The environment in which Vitest runs the global set-up.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    projects,
    // Many tests wait for leases and limits: with three files at a time, two cores would rest a third of the time.
    maxWorkers: availableParallelism() + 2,
    // Test files of one worker share their imports, a third of the cost of a file. They share no state: none keeps any in a module.
    isolate: false,
    globalSetup: ["./packages/testing/src/globalSetup.ts", "./packages/workshop/programs/globalSetup.ts"],
    setupFiles: ["./packages/testing/src/setup.ts"],
    // What hangs is found by these. They bound nothing else: whoever starts a server on a busy machine may wait for it.
    testTimeout: 600_000,
    hookTimeout: 600_000
  }
})
