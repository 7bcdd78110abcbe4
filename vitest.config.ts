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
    globalSetup: ["./packages/testing/src/globalSetup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
