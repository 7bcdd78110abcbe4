/** Postgres has a disk of its own, a tmpfs, which is filled to the last byte and emptied again. Mounting one needs root on Linux. */
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import type { Fault } from "../Fault.ts"

const execute = promisify(execFile)
const fullMillis = 10_000
const block = Buffer.alloc(64 * 1024)

const mount = (folder: string) => execute("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", folder])
const unmount = (folder: string) => execute("umount", [folder])
const diskOf = (folder: string) => path.join(folder, "disk")

const fill = async (file: string): Promise<void> => {
  const handle = await fs.open(file, "w")
  try {
    for (;;) await handle.write(block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  } finally {
    await handle.close()
  }
}

export const diskFull: Fault = {
  title: `Postgres's disk full for ${fullMillis / 1_000} s`,
  impossible: async () => {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux can mount a small disk"
    const probe = await fs.mkdtemp("/tmp/limbeck-probe-")
    try {
      await mount(probe)
      await unmount(probe)
      return undefined
    } catch (error) {
      return `no tmpfs can be mounted: ${String(error)}`
    } finally {
      await fs.rmdir(probe)
    }
  },
  dataDir: async (atEnd, folder) => {
    const disk = diskOf(folder)
    await fs.mkdir(disk)
    await mount(disk)
    atEnd(async () => {
      await unmount(disk)
    })
    return path.join(disk, "postgres")
  },
  run: async ({ folder, postgres }) => {
    const filler = path.join(diskOf(folder), "filler")
    await fill(filler)
    await sleep(fullMillis)
    await fs.rm(filler)
    await postgres.revive()
  }
}
