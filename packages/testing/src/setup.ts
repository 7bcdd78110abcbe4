/** Runs before each test file. */
import { chai } from "vitest"

// A proxy around each assertion would name misspelt members, which the compiler does. It costs a seventh of the tests' processor time.
chai.config.useProxy = false
