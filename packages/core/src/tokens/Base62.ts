/** Base62 with the alphabet `0-9A-Za-z`, most significant digit first (contract 14.1). */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Writes a whole number in exactly `length` digits, padded with `0`. */
export const encode = (value: bigint, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text
  return text
}

/** 256 random bits are 43 digits. */
export const fromBytes = (bytes: Uint8Array): string => {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return encode(value, 43)
}
