/**
 * Keeps the objects of a request in the young generation. A server program begins with `import
 * "@limbeck/node/Pretenuring"`: modules loaded before keep V8's earlier decision.
 *
 * V8 records for each allocation site whether its objects live long; if most do, the site allocates old objects from then
 * on. Effect allocates all services at one site: at the start the server's long-lived services, and later those of each
 * request. Request services then start out old, and so does everything they reference: 5 KB per captured call, freed only
 * by a full collection. `node --no-allocation-site-pretenuring` sets the same; `NODE_OPTIONS` does not take it.
 */
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--no-allocation-site-pretenuring")
