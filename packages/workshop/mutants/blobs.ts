/** Contents, and what keeps them. */
import { type Mutant, postgres } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a sweep that takes puts under way",
    file: "packages/storage-postgres/src/internal/blobs/BlobSweep.ts",
    edits: [{ find: `first.upload AND p.written_at >= \${before}`, replace: "first.upload AND false" }],
    tests: [...postgres, "blob-sweep"]
  },
  {
    name: "a put that was swept is made visible",
    file: "packages/storage-postgres/src/internal/blobs/BlobsPostgres.ts",
    edits: [{ find: `WHERE upload = \${T.int(upload)} AND seq = 0)`, replace: "WHERE seq = 0 OR true)" }],
    tests: [...postgres, "blob-sweep"]
  },
  {
    name: "content that is put again is as old as before (Postgres)",
    file: "packages/storage-postgres/src/internal/blobs/BlobsPostgres.ts",
    edits: [{ find: "greatest(kept.put_at, excluded.put_at)", replace: "kept.put_at" }],
    tests: [...postgres, "contracts", "-t", "Blobs"]
  },
  {
    name: "content that is put again is as old as before (folder)",
    file: "packages/node/src/blobs/internal/Contents.ts",
    edits: [{ find: "Files.touch(place, now).then(() => true)", replace: "Files.sync(place).then(() => true)" }],
    tests: ["--project", "node", "blobs/contracts"]
  },
  {
    name: "a part that is still written is read to its end (folder)",
    file: "packages/node/src/blobs/internal/FolderBlobs.ts",
    edits: [{ find: ": bytesOf(handle, piece.bytes)", replace: ": bytesOf(handle, piece.bytes + 1)" }],
    tests: ["--project", "node", "blobs/contracts"]
  },
  {
    name: "a run that may be gone on with loses its checkpoint",
    file: "packages/distill/src/retention/internal/References.ts",
    edits: [{ find: 'status === "succeeded" ? null : checkpoint?.state', replace: "null" }],
    tests: ["--project", "distill", "BlobRetention"]
  }
]
