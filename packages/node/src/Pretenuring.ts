/**
 * Keeps what belongs to a request among young objects. A program that serves requests begins with
 * `import "@limbeck/node/Pretenuring"`: what was loaded before it is made as V8 has decided by then.
 *
 * V8 notes of each line of code whether what it makes lives long; if most does, the line makes old objects from then on. Effect
 * makes all services by one line: at the start those of the server, which last, and later those of each request. Those are then
 * old from the first, and all that they name becomes old with them: 5 KB of each captured call, which only a full collection
 * frees again. `node --no-allocation-site-pretenuring` sets the same; `NODE_OPTIONS` does not take it.
 */
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--no-allocation-site-pretenuring")
