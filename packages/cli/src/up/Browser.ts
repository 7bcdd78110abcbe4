/** Opens a link in the browser of the person at the terminal. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { Environment } from "../serve/Environment.ts"

const openers: Readonly<Record<string, readonly [program: string, ...words: ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"]
}

/** A session over SSH, a CI job and a Linux without a display have no browser; `BROWSER=none` forbids one. */
const hasBrowser = (environment: Environment): boolean => {
  if (environment["BROWSER"] === "none" || environment["CI"] || environment["SSH_CONNECTION"]) return false
  return process.platform !== "linux" || Boolean(environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"])
}

/** All users of a machine can read command lines, so the browser gets a private file that leads to the link. */
const redirectFile = (url: string): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "limbeck-sign-in-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, "sign-in.html")
  const page = `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><a href="${url}">Sign in to Limbeck</a>`
  writeFileSync(file, page, { mode: 0o600 })
  return file
}

/** Returns whether a browser was asked; the link works without one. `url` needs no escapes in HTML. */
export const open = (url: string, environment: Environment): boolean => {
  const [program, ...words] = openers[process.platform] ?? []
  if (program === undefined || !hasBrowser(environment)) return false
  const child = spawn(program, [...words, redirectFile(url)], { stdio: "ignore", detached: true })
  // Without the program people use the printed link.
  child.on("error", () => {})
  child.unref()
  return true
}
