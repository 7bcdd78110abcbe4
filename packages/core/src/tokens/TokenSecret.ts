/**
 * The secret of a token: its mode's prefix, 43 base62 characters of 256 random bits, and 6 of the CRC-32 of the preceding
 * text, so that secret scanners and clients can recognize a real one (contract 2, 14.1). Storage keeps only its SHA-256.
 */
import * as Base62 from "./Base62.ts"

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

/** CRC-32 (IEEE) of ASCII text. */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) crc = crcTable[(crc ^ text.charCodeAt(i)) & 0xff]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (text: string): string => Base62.encode(BigInt(crc32(text)), 6)

export const prefix = (livemode: boolean): string => (livemode ? "svc_live_" : "svc_test_")

export const fromBytes = (livemode: boolean, random: Uint8Array): string => {
  const text = prefix(livemode) + Base62.fromBytes(random)
  return text + checksum(text)
}

/** What an operator may set as a bootstrap token: the prefix and 32 or more base62 characters, no checksum (contract 13). */
export const isBootstrap = (livemode: boolean, text: string): boolean =>
  text.startsWith(prefix(livemode)) && /^[0-9A-Za-z]{32,}$/.test(text.slice(prefix(livemode).length))
