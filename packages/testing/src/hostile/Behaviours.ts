/** What receivers do to a sender: every way that we know, and how an attempt ends by it. */
import type { Server } from "node:net"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { selfSigned } from "../fixtures/Certificate.ts"
import * as Wire from "./Wire.ts"

export interface Behaviour {
  readonly what: string
  readonly scheme: "http" | "https"
  /** Asked for by this name, over TLS; `hooks.example` by default. */
  readonly host?: string
  readonly statusCode: number | null
  readonly error: string | null
  /** A server that is given its connections. */
  readonly server: () => Server
}

const trusted = selfSigned("hooks.example")
const expired = selfSigned("hooks.example", ["200101000000Z", "210101000000Z"])
const early = selfSigned("hooks.example", ["480101000000Z", "490101000000Z"])
const unknown = selfSigned("hooks.example")

/** An honest receiver's certificate. */
export const certificate = trusted
/** Whom a sender must trust, so that each certificate is refused for its own fault. */
export const authorities = [trusted.cert, expired.cert, early.cert].join("\n")

type AttemptEnd = readonly [statusCode: number | null, error: string | null]

const timeout: AttemptEnd = [null, "timeout"]
const bodyTimeout: AttemptEnd = [200, "timeout"]
const reset: AttemptEnd = [null, "connection_reset"]
const bodyReset: AttemptEnd = [200, "connection_reset"]
const invalid: AttemptEnd = [null, "invalid_response"]
const bodyInvalid: AttemptEnd = [200, "invalid_response"]
const tls: AttemptEnd = [null, "tls_failure"]
const success: AttemptEnd = [200, null]

const http = (what: string, [statusCode, error]: AttemptEnd, act: Wire.Act): Behaviour => ({
  what,
  scheme: "http",
  statusCode,
  error,
  server: () => Wire.onRequest(act)
})

const https = (
  what: string,
  [statusCode, error]: AttemptEnd,
  server: () => Server,
  host = "hooks.example"
): Behaviour => ({
  what,
  scheme: "https",
  host,
  statusCode,
  error,
  server
})

const ok = "HTTP/1.1 200 OK"
const chunkedOk = Wire.head(ok, "Transfer-Encoding: chunked")
const wholeOk = `${Wire.head(ok, "Content-Length: 2")}ok`
const encodedOk = (encoding: string) => Wire.head(ok, `Content-Encoding: ${encoding}`)

const slow: ReadonlyArray<Behaviour> = [
  http("never answers", timeout, () => {}),
  { ...http("accepts and never reads", timeout, () => {}), server: () => Wire.atOnce(() => {}) },
  http("spells its status line", timeout, Wire.spells(`${ok} ${"x".repeat(1_000)}`)),
  http("spells its headers", timeout, Wire.trickles(`${ok}\r\nX-Slow: `, "x")),
  http("sends a header now and then", timeout, Wire.trickles(`${ok}\r\n`, "X-Slow: x\r\n")),
  http("sends an empty line now and then", timeout, Wire.trickles("", "\r\n")),
  http("sends an early hint now and then", timeout, Wire.trickles("", Wire.head("HTTP/1.1 103 Early Hints"))),
  http("never begins its body", bodyTimeout, Wire.says(Wire.head(ok, "Content-Length: 5"))),
  http("never ends its body", bodyTimeout, Wire.says(Wire.head(ok, "Content-Length: 5"), "1234")),
  http("never closes a body without length", bodyTimeout, Wire.says(Wire.head(ok), "so far")),
  http("spells its body", bodyTimeout, Wire.trickles(Wire.head(ok, "Content-Length: 1000000"), "x")),
  http("sends a small chunk now and then", bodyTimeout, Wire.trickles(chunkedOk, "1\r\nx\r\n")),
  http("spells a chunk's size", bodyTimeout, Wire.trickles(chunkedOk, "0")),
  http("spells a chunk's extension", bodyTimeout, Wire.trickles(`${chunkedOk}5;a=`, "x")),
  http("never sends its last chunk", bodyTimeout, Wire.says(chunkedOk, "2\r\nok\r\n")),
  http("spells its trailers", bodyTimeout, Wire.trickles(`${chunkedOk}0\r\nX-Slow: `, "x")),
  http("never ends its compressed body", bodyTimeout, Wire.says(encodedOk("gzip"), gzipSync("so far").subarray(0, -8))),
  http("sends empty compressed bodies now and then", bodyTimeout, Wire.trickles(encodedOk("gzip"), gzipSync(""))),
  https("leaves the handshake unanswered", timeout, () => Wire.onRequest(() => {})),
  https("begins a handshake and stops", timeout, () =>
    Wire.onRequest(Wire.says(Wire.bytes("\x16\x03\x03\x40\x00\x02")))
  ),
  https("spells its part of the handshake", timeout, () =>
    Wire.onRequest(Wire.trickles("\x16\x03\x03\x10\x00\x02\x00\x0f\x00", "x"))
  ),
  https("never answers over TLS", timeout, () => Wire.onTlsRequest(trusted, () => {})),
  https("spells its headers over TLS", timeout, () => Wire.onTlsRequest(trusted, Wire.trickles(`${ok}\r\nX: `, "x"))),
  https("spells its body over TLS", bodyTimeout, () =>
    Wire.onTlsRequest(trusted, Wire.trickles(Wire.head(ok, "Content-Length: 1000000"), "x"))
  )
]

const endless: ReadonlyArray<Behaviour> = [
  http("sends a body without end", success, Wire.floods(Wire.head(ok), "x".repeat(1_000))),
  http("sends chunks without end", success, Wire.floods(chunkedOk, `3e8\r\n${"x".repeat(1_000)}\r\n`)),
  http("sends one byte chunks without end", success, Wire.floods(chunkedOk, "1\r\nx\r\n")),
  http("sends a chunk's extension without end", bodyInvalid, Wire.floods(`${chunkedOk}5;a=`, "x")),
  http("sends zeros for a chunk's size without end", bodyInvalid, Wire.floods(chunkedOk, "0")),
  http("sends trailers without end", bodyInvalid, Wire.floods(`${chunkedOk}0\r\n`, "X-More: x\r\n")),
  http("sends early hints without end", invalid, Wire.floods("", Wire.head("HTTP/1.1 103 Early Hints", "Link: </a>"))),
  http("sends word of its progress without end", invalid, Wire.floods("", Wire.head("HTTP/1.1 102 Processing"))),
  http(
    "sends large early hints without end",
    invalid,
    Wire.floods("", Wire.head("HTTP/1.1 103 E", `X: ${"x".repeat(8_000)}`))
  ),
  http("sends a status line without end", invalid, Wire.floods("HTTP/1.1 200 ", "x")),
  http("sends a header without end", invalid, Wire.floods(`${ok}\r\nX-Huge: `, "x")),
  http("sends a header's name without end", invalid, Wire.floods(`${ok}\r\nX`, "x")),
  http("sends headers without end", invalid, Wire.floods(`${ok}\r\n`, "X-More: x\r\n")),
  http("sends the same header without end", invalid, Wire.floods(`${ok}\r\n`, "Content-Encoding: gzip\r\n")),
  http("sends empty lines without end", invalid, Wire.floods("", "\r\n")),
  http("sends headers of 64 KiB", invalid, Wire.says(Wire.head(ok, `X-Huge: ${"x".repeat(65_536)}`))),
  http(
    "sends 10,000 headers",
    invalid,
    Wire.says(Wire.head(ok, ...Array.from({ length: 10_000 }, (_, n) => `X${n}: x`)))
  ),
  https("sends a body without end over TLS", success, () =>
    Wire.onTlsRequest(trusted, Wire.floods(Wire.head(ok), "x".repeat(1_000)))
  ),
  https("sends early hints without end over TLS", invalid, () =>
    Wire.onTlsRequest(trusted, Wire.floods("", Wire.head("HTTP/1.1 103 Early Hints")))
  )
]

const zeros = Buffer.alloc(20_000_000)
const packed = gzipSync(zeros)

const compressed = (encoding: string, bytes: Uint8Array): Wire.Act =>
  Wire.says(Wire.head(ok, `Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`), bytes)

const bombs: ReadonlyArray<Behaviour> = [
  http("sends a gzip bomb", success, compressed("gzip", packed)),
  http("sends a deflate bomb", success, compressed("deflate", deflateSync(zeros))),
  http("sends a raw deflate bomb", success, compressed("deflate", deflateRawSync(zeros))),
  http("sends a brotli bomb", success, compressed("br", brotliCompressSync(zeros))),
  http("sends a zstd bomb", success, compressed("zstd", zstdCompressSync(zeros))),
  http("sends a bomb in a bomb", success, compressed("gzip, gzip", gzipSync(packed))),
  http("names a hundred encodings", success, compressed(Array.from({ length: 100 }, () => "gzip").join(", "), packed)),
  http("sends empty compressed bodies without end", success, Wire.floods(encodedOk("gzip"), gzipSync(""))),
  http(
    "sends a compressed body of empty blocks without end",
    success,
    Wire.floods(`${encodedOk("deflate")}\x78\x01`, Wire.bytes("\0\0\0\xff\xff"))
  ),
  http("sends no compressed body that claims to be one", bodyInvalid, compressed("gzip", Buffer.from("this is plain"))),
  http("cuts a compressed body", bodyInvalid, compressed("gzip", gzipSync("cut").subarray(0, -9)))
]

const breaksOff: ReadonlyArray<Behaviour> = [
  { ...http("resets at once", reset, () => {}), server: () => Wire.atOnce(Wire.thenResets()) },
  { ...http("closes at once", reset, () => {}), server: () => Wire.atOnce((socket) => void socket.end()) },
  http("resets after the request", reset, Wire.thenResets()),
  http("closes after the request", reset, (socket) => void socket.end()),
  http("resets within its status line", reset, Wire.thenResets("HTTP/1.1 2")),
  http("closes within its status line", reset, Wire.closeAfter(Wire.says("HTTP/1.1 2"))),
  http("resets after its status line", reset, Wire.thenResets(`${ok}\r\n`)),
  http("resets within its headers", reset, Wire.thenResets(`${ok}\r\nContent-Le`)),
  http("closes within its headers", reset, Wire.closeAfter(Wire.says(`${ok}\r\nContent-Le`))),
  http("resets after an early hint", reset, Wire.thenResets(Wire.head("HTTP/1.1 103 Early Hints"))),
  http("resets before its body", bodyReset, Wire.thenResets(Wire.head(ok, "Content-Length: 9"))),
  http("resets within its body", bodyReset, Wire.thenResets(Wire.head(ok, "Content-Length: 9"), "abc")),
  http("closes within its body", bodyReset, Wire.closeAfter(Wire.says(Wire.head(ok, "Content-Length: 9"), "abc"))),
  http("resets within a chunk", bodyReset, Wire.thenResets(chunkedOk, "9\r\nabc")),
  http("closes within a chunk", bodyReset, Wire.closeAfter(Wire.says(chunkedOk, "9\r\nabc"))),
  http("closes before the last chunk", bodyReset, Wire.closeAfter(Wire.says(chunkedOk, "3\r\nabc\r\n"))),
  http("resets after its answer", success, Wire.thenResets(wholeOk)),
  http("closes after its answer", success, Wire.closeAfter(Wire.says(wholeOk))),
  https("resets before the handshake", reset, () => Wire.atOnce(Wire.thenResets())),
  https("resets within the handshake", reset, () => Wire.onRequest(Wire.thenResets("\x16\x03\x03"))),
  https("closes within the handshake", reset, () => Wire.onRequest((socket) => void socket.end())),
  https("resets after the request over TLS", reset, () =>
    Wire.onTlsRequest(trusted, (socket) => void socket.destroy())
  ),
  https("closes within its body over TLS", bodyReset, () =>
    Wire.onTlsRequest(trusted, Wire.closeAfter(Wire.says(Wire.head(ok, "Content-Length: 9"), "abc")))
  )
]

const answersOverTls = (options: Parameters<typeof Wire.onTlsRequest>[0]) => () =>
  Wire.onTlsRequest(options, Wire.says(wholeOk))

const wrongTls: ReadonlyArray<Behaviour> = [
  https("has a certificate that it signed itself", tls, answersOverTls(unknown)),
  https("has a certificate that is over", tls, answersOverTls(expired)),
  https("has a certificate that is not valid yet", tls, answersOverTls(early)),
  https("has the certificate of another name", tls, answersOverTls(trusted), "other.example"),
  https("speaks only old protocols", tls, answersOverTls({ ...trusted, minVersion: "TLSv1", maxVersion: "TLSv1.1" })),
  https(
    "wants a certificate of us",
    reset,
    answersOverTls({ ...trusted, requestCert: true, rejectUnauthorized: true })
  ),
  https("has no certificate", tls, answersOverTls({})),
  https("refuses the handshake", tls, () => Wire.onRequest(Wire.says(Wire.bytes("\x15\x03\x03\x00\x02\x02\x28")))),
  https("speaks plain HTTP where TLS is due", tls, () => Wire.onRequest(Wire.says(wholeOk))),
  https("speaks of itself before the handshake", tls, () => Wire.atOnce(Wire.says("220 mail.example ESMTP\r\n"))),
  { ...http("speaks TLS where plain HTTP is due", reset, () => {}), server: answersOverTls(trusted) },
  http("answers with a TLS alert", invalid, Wire.says(Wire.bytes("\x15\x03\x03\x00\x02\x02\x28")))
]

const notHttp: ReadonlyArray<Behaviour> = [
  http("speaks SSH", invalid, Wire.says("SSH-2.0-OpenSSH_9.9\r\n")),
  http("speaks HTTP/0.9", invalid, Wire.closeAfter(Wire.says("<html>hello</html>"))),
  http("speaks HTTP/2", invalid, Wire.says(Wire.bytes("\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64"))),
  http("sends random bytes", invalid, Wire.says(Wire.bytes("\x8f\x01\xfe\x00\x99\x7a\x80\xff"))),
  http("names a version that there is not", invalid, Wire.says(Wire.head("HTTP/9.9 200 OK"))),
  http("names a protocol that there is not", invalid, Wire.says(Wire.head("HTTPS/1.1 200 OK"))),
  http("has a status that is no number", invalid, Wire.says(Wire.head("HTTP/1.1 abc OK"))),
  http("has a status of two digits", invalid, Wire.says(Wire.head("HTTP/1.1 20 OK"))),
  http("has a status of four digits", invalid, Wire.says(Wire.head("HTTP/1.1 2000 OK"))),
  http("has no status", invalid, Wire.says(Wire.head("HTTP/1.1"))),
  http("has a header without a colon", invalid, Wire.says(Wire.head(ok, "Broken"))),
  http("has a space before a colon", invalid, Wire.says(Wire.head(ok, "Broken : x"))),
  http("has a zero byte in a header", invalid, Wire.says(Wire.head(ok, "Broken: a\0b"))),
  http("has a header without a name", invalid, Wire.says(Wire.head(ok, ": x"))),
  http("has two lengths", invalid, Wire.says(Wire.head(ok, "Content-Length: 1", "Content-Length: 2"), "x")),
  http("has a length below zero", invalid, Wire.says(Wire.head(ok, "Content-Length: -1"))),
  http("has a length that is no number", invalid, Wire.says(Wire.head(ok, "Content-Length: 0x2"), "ok")),
  http("has a length beyond all numbers", invalid, Wire.says(Wire.head(ok, `Content-Length: ${"9".repeat(30)}`))),
  http(
    "has a length and chunks",
    invalid,
    Wire.says(Wire.head(ok, "Content-Length: 2", "Transfer-Encoding: chunked"), "2\r\nok\r\n0\r\n\r\n")
  ),
  http("has a chunk size that is no number", bodyInvalid, Wire.says(chunkedOk, "zz\r\nok\r\n")),
  http("has a chunk size beyond all numbers", bodyInvalid, Wire.says(chunkedOk, "fffffffffffffffff\r\n")),
  http("has a chunk that is longer than it says", bodyInvalid, Wire.says(chunkedOk, "1\r\nok\r\n0\r\n\r\n")),
  http(
    "changes the protocol",
    invalid,
    Wire.says(Wire.head("HTTP/1.1 101 Switching", "Connection: Upgrade", "Upgrade: x"))
  ),
  http("invites a body that it has", invalid, Wire.says(Wire.head("HTTP/1.1 100 Continue")))
]

const redirect = (status: number, location: string) =>
  http(
    `redirects by ${status} to ${location}`,
    [status, null],
    Wire.says(Wire.head(`HTTP/1.1 ${status} Moved`, `Location: ${location}`, "Content-Length: 0"))
  )

const confuses: ReadonlyArray<Behaviour> = [
  redirect(301, "/"),
  redirect(302, "http://169.254.169.254/"),
  redirect(307, "/hook"),
  redirect(308, "http://10.0.0.1/"),
  http(
    "has a body with 204",
    [204, null],
    Wire.says(Wire.head("HTTP/1.1 204 No Content", "Content-Length: 4"), "body")
  ),
  http(
    "has a body with 304",
    [304, null],
    Wire.says(Wire.head("HTTP/1.1 304 Not Modified", "Content-Length: 4"), "body")
  ),
  http("has a body with 204, unannounced", [204, null], Wire.says(Wire.head("HTTP/1.1 204 No Content"), "body")),
  http("says more than its length", success, Wire.says(wholeOk, "and more")),
  http("answers twice", success, Wire.says(wholeOk, wholeOk)),
  http("answers twice, the second time late", success, Wire.trickles(wholeOk, Wire.head("HTTP/1.1 500 No"))),
  http("answers and goes on with rubbish", success, Wire.floods(wholeOk, "\0")),
  http("fails without end", [500, null], Wire.floods(Wire.head("HTTP/1.1 500 No"), "sorry ")),
  http(
    "waits long for nothing",
    [429, null],
    Wire.says(Wire.head("HTTP/1.1 429 Slow", "Retry-After: 9999999", "Content-Length: 0"))
  )
]

export const behaviours: ReadonlyArray<Behaviour> = [
  ...slow,
  ...endless,
  ...bombs,
  ...breaksOff,
  ...wrongTls,
  ...notHttp,
  ...confuses
]
