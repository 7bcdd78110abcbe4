/** The secret of an endpoint: `whsec_` and 43 base62 characters of 256 random bits (contract 8). */
import * as Base62 from "@limbeck/core/tokens/Base62"

export const fromBytes = (random: Uint8Array): string => `whsec_${Base62.fromBytes(random)}`

/** Length of a secret in random bytes. */
export const byteCount = 32
