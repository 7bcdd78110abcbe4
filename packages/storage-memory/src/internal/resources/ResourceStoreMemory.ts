/** ResourceStore and CredentialStore in memory: values by id, by unique name and by label. */
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Page from "@limbeck/core/pages/Page"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import type { Kind, Resource, StoredResource } from "@limbeck/core/resources/Kind"
import { AlreadyExists, ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import * as Token from "@limbeck/core/tokens/Token"
import * as Effect from "effect/Effect"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { byString } from "../database/SortedSet.ts"
import { Family, Index, isWithin, keyOf, Table, takeWhere } from "../database/Table.ts"

interface Row {
  readonly stored: StoredResource<Resource>
  readonly labels: ReadonlySet<string>
  readonly unique: string | null
}

interface Owner {
  readonly partition: string
  readonly id: string
}

// A kind's name stands for its type, and only values of the kind are written under it.
const storedOf = <A extends Resource>(row: Row): StoredResource<A> => row.stored as StoredResource<A>

const optional = <A extends Resource>(row: Row | undefined): Option.Option<StoredResource<A>> =>
  Option.map(Option.fromUndefinedOr(row), (row) => storedOf<A>(row))

/** The rows of all kinds, with their indexes. */
class Resources {
  private readonly tables = new Family(() => new Table<Row>())
  private readonly ids = new Family(() => new Index<string>(byString))
  private readonly owners = new Table<Owner>()

  table(partition: string, kind: string): Table<Row> {
    return this.tables.of(keyOf(partition, kind))
  }

  idsOfLabel(partition: string, kind: string, label: string): Index<string> {
    return this.ids.of(keyOf(partition, kind, label))
  }

  owner(partition: string, kind: string, unique: string): Owner | undefined {
    return this.owners.get(keyOf(kind, unique, partition))
  }

  /** The first owner of a unique name in whatever partition. */
  ownerAnywhere(kind: string, unique: string): Owner | undefined {
    const prefix = keyOf(kind, unique, "")
    const { value } = this.owners.ascending(prefix).next()
    return value !== undefined && this.owner(value.partition, kind, unique) === value ? value : undefined
  }

  write(undoLog: UndoLog, partition: string, kind: string, id: string, after: Row | null): void {
    const before = this.table(partition, kind).get(id)
    if (before !== undefined) {
      for (const label of before.labels) this.idsOfLabel(partition, kind, label).delete(undoLog, id)
      if (before.unique !== null) this.owners.delete(undoLog, keyOf(kind, before.unique, partition))
    }
    if (after === null) {
      this.table(partition, kind).delete(undoLog, id)
      return
    }
    for (const label of after.labels) this.idsOfLabel(partition, kind, label).add(undoLog, id)
    if (after.unique !== null) this.owners.set(undoLog, keyOf(kind, after.unique, partition), { partition, id })
    this.table(partition, kind).set(undoLog, id, after)
  }
}

const rowOf = <A extends Resource>(kind: Kind<A>, value: A, revision: number): Row => ({
  stored: { value, revision },
  labels: new Set(kind.labels(value)),
  unique: kind.unique(value)
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the methods of a port, each short
const make = (db: MemoryDatabase, resources: Resources): ResourceStore["Service"] => {
  const isTaken = (partition: Partition, kind: string, id: string, unique: string | null) => {
    const owner = unique === null ? undefined : resources.owner(partition.key, kind, unique)
    return owner !== undefined && owner.id !== id
  }

  const insert = <A extends Resource>(partition: Partition, kind: Kind<A>, value: A) =>
    Effect.flatMap(
      db.sync((undoLog) => {
        const row = rowOf(kind, value, 0)
        const exists = resources.table(partition.key, kind.name).get(value.id) !== undefined
        if (exists || isTaken(partition, kind.name, value.id, row.unique)) return false
        resources.write(undoLog, partition.key, kind.name, value.id, row)
        return true
      }),
      (done) => (done ? Effect.void : Effect.fail(new AlreadyExists({ kind: kind.name, id: value.id })))
    )

  /** What was written; null where that is refused. */
  const setIn = <A extends Resource>(
    undoLog: UndoLog,
    partition: Partition,
    kind: Kind<A>,
    { revision, value }: StoredResource<A>
  ): StoredResource<A> | null => {
    const before = resources.table(partition.key, kind.name).get(value.id)
    const row = rowOf(kind, value, revision + 1)
    if (before?.stored.revision !== revision || isTaken(partition, kind.name, value.id, row.unique)) return null
    resources.write(undoLog, partition.key, kind.name, value.id, row)
    return storedOf<A>(row)
  }

  const compareAndSet = <A extends Resource>(partition: Partition, kind: Kind<A>, stored: StoredResource<A>) =>
    Effect.filterOrFail(
      db.sync((undoLog) => setIn(undoLog, partition, kind, stored)),
      (written) => written !== null,
      () => new RevisionConflict({ kind: kind.name, id: stored.value.id, revision: stored.revision })
    )

  const compareAndSetMany = <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    stored: ReadonlyArray<StoredResource<A>>
  ) =>
    db.sync((undoLog) =>
      stored.filter((one) => setIn(undoLog, partition, kind, one) === null).map(({ value }) => value.id)
    )

  return {
    insert,
    add: (partition, kind, value) =>
      Effect.mapError(
        insert(partition, kind, value),
        (cause) => new StorageError({ operation: "ResourceStore.add", cause })
      ),
    compareAndSet,
    compareAndSetMany,
    find: (partition, kind, id) => db.sync(() => optional(resources.table(partition.key, kind.name).get(id))),
    findUnique: (partition, kind, unique) =>
      db.sync(() => {
        const owner = resources.owner(partition.key, kind.name, unique)
        return optional(owner && resources.table(partition.key, kind.name).get(owner.id))
      }),
    remove: (partition, kind, id) =>
      db.sync((undoLog) => {
        if (resources.table(partition.key, kind.name).get(id) === undefined) return false
        resources.write(undoLog, partition.key, kind.name, id, null)
        return true
      }),
    page: <A extends Resource>(
      partition: Partition,
      kind: Kind<A>,
      labels: ReadonlyArray<string>,
      request: Page.PageRequest
    ) =>
      db.sync(() => {
        const table = resources.table(partition.key, kind.name)
        const [label] = labels
        const rows =
          label === undefined
            ? table.descending(request.after)
            : Iterable.map(
                resources.idsOfLabel(partition.key, kind.name, label).descending(request.after),
                (id) => table.get(id)!
              )
        const wanted = ({ labels: has, stored }: Row) =>
          labels.every((label) => has.has(label)) && isWithin(stored.value.createdAt, request)
        const page = Page.fromRows(takeWhere(rows, request.limit + 1, wanted), request.limit)
        return Page.map(page, (row) => storedOf<A>(row).value)
      }),
    findByLabels: <A extends Resource>(partition: Partition, kind: Kind<A>, labels: ReadonlyArray<string>) =>
      db.sync(() => {
        const table = resources.table(partition.key, kind.name)
        const ids = new Set(
          labels.flatMap((label) => [...resources.idsOfLabel(partition.key, kind.name, label).ascending()])
        )
        return [...ids].sort(byString).map((id) => storedOf<A>(table.get(id)!).value)
      }),
    findMany: <A extends Resource>(partition: Partition, kind: Kind<A>, ids: ReadonlyArray<string>) =>
      db.sync(() => {
        const table = resources.table(partition.key, kind.name)
        return [...new Set(ids)].flatMap((id) => {
          const row = table.get(id)
          return row === undefined ? [] : [storedOf<A>(row)]
        })
      })
  }
}

const makeCredentials = (db: MemoryDatabase, resources: Resources): CredentialStore["Service"] => ({
  findByDigest: (digest) =>
    db.sync(() => {
      const owner = resources.ownerAnywhere(Token.kind.name, digest)
      const row = owner && resources.table(owner.partition, Token.kind.name).get(owner.id)
      return owner === undefined || row === undefined
        ? Option.none()
        : Option.some({ partition: fromKey(owner.partition), token: storedOf<Token.Token>(row).value })
    })
})

/** Both ports over the same rows. */
export const makeBoth = (db: MemoryDatabase) => {
  const resources = new Resources()
  return {
    resources: ResourceStore.of(make(db, resources)),
    credentials: CredentialStore.of(makeCredentials(db, resources))
  }
}
