/**
 * The capability in a URL: whoever has it may do what it was made for, without a token: send an upload's content, read a
 * shared report. It names its partition, so that the thing can be found, and carries 256 random bits; storage keeps its
 * SHA-256.
 */
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Base62 from "@limbeck/core/tokens/Base62"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const isWorkspaceId = Schema.is(WorkspaceId)

export const make = (partition: Partition.Partition, random: Uint8Array): string =>
  `${Base64Url.encode(partition.key)}.${Base62.fromBytes(random)}`

/** The partition that a capability claims; only its digest proves it. Undefined for a text that is none. */
export const partitionOf = (capability: string): Partition.Partition | undefined => {
  const [claimed = "", random = ""] = capability.split(".", 2)
  const key = Result.getOrElse(Base64Url.decodeString(claimed), () => "")
  const [, workspace, mode] = /^(.+)\.(live|test)$/.exec(key) ?? []
  return isWorkspaceId(workspace) && random.length === 43 ? Partition.make(workspace, mode === "live") : undefined
}
