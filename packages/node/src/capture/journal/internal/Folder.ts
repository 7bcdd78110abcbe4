/**
 * The journal's folder: each process has its own subfolder, with its segments and its owner file. The files of a dead
 * process are taken over one by one, so that each file has one new owner even if several processes try.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { makeFolder } from "../../../folders/MakeFolder.ts"
import { orMissing } from "../../../internal/ErrorCode.ts"
import * as Owner from "./Owner.ts"
import * as SegmentName from "./SegmentName.ts"

/** Not taken for a process's folder while it is being made. */
const draft = "."

export class Folder {
  readonly #root: string
  readonly #name: string
  #next = 0
  #made: Promise<void> | null = null

  /** `name`: this process's, which nobody had before. */
  constructor(root: string, name: string) {
    this.#root = root
    this.#name = name
  }

  get path(): string {
    return path.join(this.#root, this.#name)
  }

  /** Made once, however many ask; again where that failed. */
  make(): Promise<void> {
    this.#made ??= this.#make().catch((error) => {
      this.#made = null
      throw error
    })
    return this.#made
  }

  /** It appears with its owner's name in it, or not at all. */
  async #make(): Promise<void> {
    const making = path.join(this.#root, draft + this.#name)
    await fs.rm(making, { recursive: true, force: true })
    await makeFolder(making)
    await fs.writeFile(path.join(making, Owner.ownerFile), JSON.stringify(Owner.self()), { mode: 0o600 })
    await fs.rename(making, this.path)
  }

  nextPath(suffix: string): string {
    return path.join(this.path, SegmentName.make(++this.#next, suffix))
  }

  /** Says that the owner is there; answers whether the folder is still its own. */
  async beat(): Promise<boolean> {
    if (this.#made === null) return true
    await this.#made
    const now = Owner.now() / 1_000
    const beaten = await orMissing(fs.utimes(path.join(this.path, Owner.ownerFile), now, now).then(() => true))
    return beaten === true
  }

  /** Moves segments of dead processes into this folder, and returns their paths. */
  async adopt(): Promise<ReadonlyArray<string>> {
    const entries = (await orMissing(fs.readdir(this.#root, { withFileTypes: true }))) ?? []
    const adopted: Array<string> = []
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === this.#name || entry.name.startsWith(draft)) continue
      const folder = path.join(this.#root, entry.name)
      if (await this.#isLeft(folder)) adopted.push(...(await this.#takeOver(folder)))
    }
    return adopted
  }

  async #isLeft(folder: string): Promise<boolean> {
    const file = path.join(folder, Owner.ownerFile)
    const stat = await orMissing(fs.stat(file))
    const text = await orMissing(fs.readFile(file, "utf8"))
    return stat === undefined || text === undefined || Owner.isGone(Owner.parse(text), stat.mtimeMs)
  }

  async #takeOver(folder: string): Promise<ReadonlyArray<string>> {
    const names = (await orMissing(fs.readdir(folder))) ?? []
    const taken: Array<string> = []
    for (const name of names.filter(SegmentName.isOne).sort()) {
      await this.make()
      const target = this.nextPath(SegmentName.suffixOf(name))
      const moved = await orMissing(fs.rename(path.join(folder, name), target).then(() => true))
      if (moved) taken.push(target)
    }
    await fs.rm(path.join(folder, Owner.ownerFile), { force: true })
    // Somebody else may be at it, and be a file behind.
    await fs.rmdir(folder).catch(() => {})
    return taken
  }

  /** Its remaining files may be taken over at once. */
  async release(): Promise<void> {
    if (this.#made === null) return
    await this.#made
    await fs.rm(path.join(this.path, Owner.ownerFile), { force: true })
    await fs.rmdir(this.path).catch(() => {})
    this.#made = null
  }
}
