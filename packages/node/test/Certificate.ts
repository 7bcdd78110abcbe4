/** Makes a self-signed certificate for a host name, of nothing but Node's keys and a few lines of DER. */
import { generateKeyPairSync, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array | string>): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const bits = (content: Uint8Array) => der(0x03, Uint8Array.of(0), content)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const commonName = oid("550403")
const subjectAltName = oid("551d11")
const basicConstraints = oid("551d13")

export interface Certificate {
  readonly key: string
  readonly cert: string
}

const longValid = ["200101000000Z", "490101000000Z"] as const

/** `validity`: from and until, as in a certificate (`YYMMDDhhmmssZ`). */
export const selfSigned = (
  host: string,
  [from, until]: readonly [from: string, until: string] = longValid
): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, host))))
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1)),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, from), der(0x17, until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        sequence(basicConstraints, der(0x04, sequence(der(0x01, Uint8Array.of(255))))),
        sequence(subjectAltName, der(0x04, sequence(der(0x82, host))))
      )
    )
  )
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bits(sign("sha256", toBeSigned, privateKey)))
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n")
  }
}
