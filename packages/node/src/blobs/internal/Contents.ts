/**
 * Contents by their digest, each a folder of pieces: `<partition>/content/<2 digits>/<digest>/<number>-<bytes>`. A folder gets
 * its name whole or not at all. A piece may be longer than its name says: what follows is not content.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import path from "node:path"
import type { BlobKey, BlobRef } from "@limbeck/core/blobs/Blobs"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import { orMissing } from "../../internal/ErrorCode.ts"
import { privateFolder } from "../../internal/PrivateModes.ts"
import * as Files from "./Files.ts"

const partitionName = /^[a-z0-9_]+\.(?:live|test)$/
const digestName = /^[0-9a-f]{64}$/

/** A removal first renames to this suffix, so that a concurrent put can restore the content. */
const goingSuffix = ".going"

export interface Piece {
  readonly name: string
  readonly bytes: number
}

export class Contents {
  private readonly root: string

  constructor(root: string) {
    this.root = path.resolve(root)
  }

  /** The folder of a partition's own; no partition's key leads out of the root. */
  folder(partition: Partition, ...names: ReadonlyArray<string>): string {
    if (!partitionName.test(partition.key)) throw new Error("A partition that cannot be a folder")
    return path.join(this.root, partition.key, ...names)
  }

  async partitions(): Promise<ReadonlyArray<Partition>> {
    return (await Files.namesIn(this.root)).filter((name) => partitionName.test(name)).map(fromKey)
  }

  /** A private folder for content that gets its final name when complete. */
  async draft(partition: Partition): Promise<string> {
    const drafts = this.folder(partition, "drafts")
    await Files.ensureFolder(drafts)
    const draft = path.join(drafts, randomUUID())
    await fs.mkdir(draft, { mode: privateFolder })
    return draft
  }

  pieceName(index: number, bytes: number): string {
    return `${String(index).padStart(6, "0")}-${bytes}`
  }

  /** Renames a draft, whose pieces are on disk, to its digest. Existing content of that digest is the same, and stays. */
  async publish(partition: Partition, draft: string, { sha256 }: BlobRef, now: number): Promise<void> {
    const place = this.place(partition, sha256)
    if (place === undefined) throw new Error("Not a digest")
    await Files.touch(draft, now)
    await Files.sync(draft)
    for (;;) {
      await Files.ensureFolder(path.dirname(place))
      const isOurs = await Files.moveFile(draft, place)
      if (isOurs || (await this.keep(place, now))) break
    }
    await Files.sync(path.dirname(place))
    await Files.remove(draft)
  }

  /** The pieces in their order; undefined for an unknown digest. */
  async pieces(partition: Partition, sha256: string): Promise<ReadonlyArray<Piece> | undefined> {
    const names = await this.withFolder(partition, sha256, (folder) => fs.readdir(folder))
    return names?.sort().map((name) => ({ name, bytes: Number(name.slice(name.indexOf("-") + 1)) }))
  }

  open(partition: Partition, sha256: string, { name }: Piece): Promise<fs.FileHandle | undefined> {
    return this.withFolder(partition, sha256, (folder) => fs.open(path.join(folder, name), "r"))
  }

  /** Contents that were last put before `before`. */
  async *quiet(before: number): AsyncGenerator<BlobKey> {
    for (const partition of await this.partitions()) {
      const content = this.folder(partition, "content")
      for (const part of await Files.namesIn(content)) {
        for (const name of await Files.namesIn(path.join(content, part))) {
          const sha256 = name.replace(goingSuffix, "")
          const at = await Files.writeTimeOf(path.join(content, part, name))
          if (digestName.test(sha256) && at !== undefined && at < before) yield { partition, sha256 }
        }
      }
    }
  }

  /**
   * Moves the content away and then checks again for a concurrent put: the put finds the content missing and writes it
   * again, or has touched it before the move, and then the content is restored.
   */
  async removeIfQuiet(partition: Partition, sha256: string, before: number): Promise<boolean> {
    const place = this.place(partition, sha256)
    if (place === undefined) return false
    // A process that died may have left it half way.
    if (await this.settle(partition, place, before)) return true
    const at = await Files.writeTimeOf(place)
    if (at === undefined || at >= before) return false
    return (await Files.moveFile(place, place + goingSuffix)) && this.settle(partition, place, before)
  }

  /** Finishes a removal under way, or reverts it. Concurrent calls are safe: one of them gets the content. */
  private async settle(partition: Partition, place: string, before: number): Promise<boolean> {
    const going = place + goingSuffix
    const at = await Files.writeTimeOf(going)
    if (at === undefined) return false
    if (at >= before && (await Files.moveFile(going, place))) return false
    const drafts = this.folder(partition, "drafts")
    await Files.ensureFolder(drafts)
    const waste = path.join(drafts, randomUUID())
    if (!(await Files.moveFile(going, waste))) return false
    await Files.remove(waste)
    return at < before
  }

  /** Has the content count as put now; false when it was taken away meanwhile. */
  private async keep(place: string, now: number): Promise<boolean> {
    const touched = await orMissing(Files.touch(place, now).then(() => true))
    return touched === true && (await Files.writeTimeOf(place)) !== undefined
  }

  private place(partition: Partition, sha256: string): string | undefined {
    return digestName.test(sha256) ? this.folder(partition, "content", sha256.slice(0, 2), sha256) : undefined
  }

  /** Tries both names, in order, since a removal under way renames the content and may rename it back. */
  private async withFolder<A>(
    partition: Partition,
    sha256: string,
    use: (folder: string) => Promise<A>
  ): Promise<A | undefined> {
    const place = this.place(partition, sha256)
    if (place === undefined) return undefined
    for (const folder of [place, place + goingSuffix, place]) {
      const found = await orMissing(use(folder))
      if (found !== undefined) return found
    }
    return undefined
  }
}
