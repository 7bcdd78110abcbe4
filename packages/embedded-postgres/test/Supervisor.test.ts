import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, it } from "@effect/vitest"
import { script } from "../src/internal/Supervisor.ts"

/** A slow watcher: after asking the program to end, waits for its end and 200 ms more. */
const slowly = `
kill() {
  command kill "$@"
  if [ "$1" = -INT ]; then
    while command kill -0 "$2"; do sleep 0.01; done
    sleep 0.2
  fi
}
`

const program = 'process.on("SIGINT", () => process.exit()); console.log("ready"); setInterval(() => {}, 1_000)'

it("what was temporary goes with the owner, also where the program ends before the watcher does", async () => {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "supervised-"))
  const args = ["-c", slowly + script, "sh", temporary, process.execPath, "-e", program]
  const shell = spawn("/bin/sh", args, { stdio: ["ignore", "pipe", "ignore", "pipe"] })
  const ended = once(shell, "close")
  await once(shell.stdout!, "data")
  shell.stdio[3]?.destroy()
  await ended
  assert.isFalse(fs.existsSync(temporary))
})
