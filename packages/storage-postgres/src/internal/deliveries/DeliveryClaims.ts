/**
 * Claims due deliveries, so that no endpoint's backlog hides the work of others. Two ways to find due deliveries:
 *
 *     the head of the lane    the oldest rows of all endpoints, in one step; rows of endpoints that may have no more are
 *                             locked and left, so a backlog makes the step useless
 *     endpoint by endpoint    the oldest rows of each endpoint that waits, one index step per endpoint: dearer, but no backlog
 *                             stands in the way
 *
 *     a lane     clear ───▶ crowded   a full head gives less than `worthwhile` of the rows that were locked for it
 *                crowded ─▶ clear     after `crowdedMillis`: the next claim tries the head again
 *
 *  1. In a clear lane a claim takes from the head, and then only the missing rest endpoint by endpoint.
 *  2. In a crowded lane a claim skips the head.
 *  3. Both ways keep the promises of `claimDue`: the state only saves work. So each process keeps its own state, in the
 *     adapter, which alone knows the cost of a step.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { fromKey } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import type { Lane } from "@limbeck/webhooks/delivery/Delivery"
import type { ClaimOptions, Rooms } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as T from "../connection/PostgresTypes.ts"

const Claim = Schema.Struct({
  id: Schema.String,
  partition: Schema.String,
  endpointId: Schema.String,
  dueAt: Millis,
  lease: Schema.Int
})
export type Claim = typeof Claim.Type

const decodeClaims = Schema.decodeUnknownEffect(Schema.Array(Claim))

/** One row for each claim, or a single row with nothing but the number of rows looked at. */
const decodeHead = Schema.decodeUnknownEffect(
  Schema.NonEmptyArray(
    Schema.Union([
      Schema.Struct({ seen: Schema.Int, ...Claim.fields }),
      Schema.Struct({ seen: Schema.Int, id: Schema.Null })
    ])
  )
)

/** Head rows read per wanted row, when some may be refused; each costs a row lock. */
const headFactor = 2

const nobody = { endpoints: [], max: 0 }
const unboundedRooms = ({ limit }: ClaimOptions): Rooms => ({ of: new Map(), others: limit })

/** The parameters of a claim that say what each workspace may have. */
const roomsOf = (options: ClaimOptions) => {
  const { of, others } = options.rooms ?? unboundedRooms(options)
  return [T.texts([...of.keys()]), T.ints([...of.values()]), T.int(others)]
}

/** What the workspaces may have beside these claims. */
const roomsAfter = (options: ClaimOptions, claims: ReadonlyArray<Claim>): Rooms => {
  const { of, others } = options.rooms ?? unboundedRooms(options)
  const left = new Map(of)
  for (const { partition } of claims) {
    const { workspace } = fromKey(partition)
    left.set(workspace, Math.max(0, (left.get(workspace) ?? others) - 1))
  }
  return { of: left, others }
}

const byDueTime = (a: Claim, b: Claim) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1)

/**
 * $1 now, $2 rows looked at, $3 endpoints that may have none, $4 rows per endpoint, $5 rows, $6 end of the lease, $7 whether
 * retries, $8 endpoints that may have one, $9 those that may have $10, $11 workspaces that may have as many as $12 says of each;
 * any other may have $13.
 */
const fromHead = `
  WITH head AS MATERIALIZED (
    SELECT id, endpoint_id, ready_at, split_part(partition, '.', 1) AS workspace
    FROM deliveries_due WHERE retry = $7 AND ready_at <= $1
    ORDER BY ready_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
  ), placed AS (
    SELECT id, ready_at, workspace, row_number() OVER (PARTITION BY endpoint_id ORDER BY ready_at, id) AS place,
      CASE WHEN endpoint_id = ANY($8) THEN 1 WHEN endpoint_id = ANY($9) THEN $10 ELSE $4 END AS places
    FROM head WHERE endpoint_id <> ALL($3)
  ), shared AS (
    SELECT id, ready_at, row_number() OVER (PARTITION BY workspace ORDER BY ready_at, id) AS nth,
      coalesce(rooms.room, $13) AS room
    FROM placed LEFT JOIN unnest($11::text[], $12::bigint[]) AS rooms (workspace, room) USING (workspace)
    WHERE place <= places
  ), claimed AS (
    UPDATE deliveries_due SET due_at = ready_at, ready_at = $6, lease = nextval('leases')
    WHERE ready_at <= $1 AND id = ANY(ARRAY(SELECT id FROM shared WHERE nth <= room ORDER BY ready_at, id LIMIT $5))
    RETURNING id, partition, endpoint_id AS "endpointId", due_at AS "dueAt", lease
  )
  SELECT looked.seen, claimed.* FROM (SELECT count(*) AS seen FROM head) looked LEFT JOIN claimed ON true`

/**
 * $1 now, $2 endpoints that may have none, $3 rows per endpoint, $4 rows, $5 end of the lease, $6 whether retries, $7
 * endpoints that may have one, $8 those that may have $9, $10 workspaces that may have as many as $11 says of each; any other may
 * have $12. The endpoints are found by one step in the index each, however long their backlogs are.
 */
const fromEveryEndpoint = `
  WITH RECURSIVE waiting (endpoint_id) AS (
    (SELECT endpoint_id FROM deliveries_due ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT due.endpoint_id FROM deliveries_due due WHERE due.endpoint_id > waiting.endpoint_id
      ORDER BY due.endpoint_id LIMIT 1)
    FROM waiting WHERE waiting.endpoint_id IS NOT NULL
  ), oldest AS (
    SELECT waiting.endpoint_id, first.ready_at, split_part(first.partition, '.', 1) AS workspace
    FROM waiting CROSS JOIN LATERAL (
      SELECT ready_at, partition FROM deliveries_due due
      WHERE due.endpoint_id = waiting.endpoint_id AND due.retry = $6 AND due.ready_at <= $1
      ORDER BY ready_at LIMIT 1
    ) first
    WHERE waiting.endpoint_id <> ALL($2)
  ), shared AS (
    SELECT endpoint_id, ready_at, workspace, coalesce(rooms.room, $12) AS room,
      row_number() OVER (PARTITION BY workspace ORDER BY ready_at, endpoint_id) AS nth
    FROM oldest LEFT JOIN unnest($10::text[], $11::bigint[]) AS rooms (workspace, room) USING (workspace)
  ), longest AS (
    SELECT endpoint_id, workspace, room FROM shared WHERE nth <= room ORDER BY ready_at LIMIT $4
  ), picked AS (
    SELECT due.id, due.ready_at, room, row_number() OVER (PARTITION BY workspace ORDER BY due.ready_at, due.id) AS nth
    FROM longest CROSS JOIN LATERAL (
      SELECT id, ready_at FROM deliveries_due due
      WHERE due.endpoint_id = longest.endpoint_id AND due.retry = $6 AND due.ready_at <= $1
      ORDER BY ready_at, id LIMIT CASE WHEN longest.endpoint_id = ANY($7) THEN 1 WHEN longest.endpoint_id = ANY($8) THEN $9 ELSE $3 END
      FOR UPDATE SKIP LOCKED
    ) due
  )
  UPDATE deliveries_due SET due_at = ready_at, ready_at = $5, lease = nextval('leases')
  WHERE ready_at <= $1 AND id = ANY(ARRAY(SELECT id FROM picked WHERE nth <= room ORDER BY ready_at, id LIMIT $4))
  RETURNING id, partition, endpoint_id AS "endpointId", due_at AS "dueAt", lease`

/** How long a lane stays crowded. */
const crowdedMillis = 1_000

/** The least part of the rows looked at that a head must give. */
const worthwhile = 1 / 8

/** Claims of one lane, oldest due first. */
export const make = (sql: PgClient.PgClient) => {
  const crowdedUntil: { [L in Lane]: number } = { first: 0, retry: 0 }

  const takeHead = Effect.fnUntraced(function* (options: ClaimOptions, isBounded: boolean) {
    const { except = [], lane, leaseUntil, limit, many = nobody, now, perEndpointMax = limit, single = [] } = options
    const window = isBounded ? headFactor * limit : limit
    const head = yield* decodeHead(
      yield* sql.unsafe(fromHead, [
        T.int(now),
        T.int(window),
        T.texts(except),
        T.int(perEndpointMax),
        T.int(limit),
        T.int(leaseUntil),
        lane === "retry",
        T.texts(single),
        T.texts(many.endpoints),
        T.int(many.max),
        ...roomsOf(options)
      ])
    )
    const claims = head.filter((row) => row.id !== null)
    const isAll = head[0].seen < window
    if (!isAll && claims.length < worthwhile * window) crowdedUntil[lane] = now + crowdedMillis
    return { claims, isAll }
  })

  const takeOfEndpoints = Effect.fnUntraced(function* (options: ClaimOptions, claims: ReadonlyArray<Claim>) {
    const { except = [], lane, leaseUntil, limit, many = nobody, now, perEndpointMax = limit, single = [] } = options
    const served = [...except, ...new Set(claims.map(({ endpointId }) => endpointId))]
    const rows = yield* sql.unsafe(fromEveryEndpoint, [
      T.int(now),
      T.texts(served),
      T.int(perEndpointMax),
      T.int(limit - claims.length),
      T.int(leaseUntil),
      lane === "retry",
      T.texts(single),
      T.texts(many.endpoints),
      T.int(many.max),
      ...roomsOf({ ...options, rooms: roomsAfter(options, claims) })
    ])
    return yield* decodeClaims(rows)
  })

  return Effect.fnUntraced(function* (options: ClaimOptions) {
    const { except = [], lane, limit, now, perEndpointMax = limit, rooms, single = [] } = options
    const isBounded = perEndpointMax < limit || except.length > 0 || single.length > 0 || rooms !== undefined
    const isCrowded = isBounded && now < crowdedUntil[lane]
    const head = isCrowded ? { claims: [], isAll: false } : yield* takeHead(options, isBounded)
    const isEnough = !isBounded || head.isAll || head.claims.length === limit
    const others = isEnough ? [] : yield* takeOfEndpoints(options, head.claims)
    return [...head.claims, ...others].toSorted(byDueTime)
  })
}
