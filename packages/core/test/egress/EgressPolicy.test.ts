import { assert, describe, it } from "@effect/vitest"
import * as IpNetwork from "effect/net/IpNetwork"
import { allowsAddress, type EgressPolicy, refusalOfUrl } from "../../src/egress/EgressPolicy.ts"

const none: EgressPolicy = { allowed: [] }
const allowing = (...blocks: ReadonlyArray<string>): EgressPolicy => ({
  allowed: blocks.map(IpNetwork.fromStringUnsafe)
})

/** What a range is, addresses of it, and its neighbours that are public. */
interface Range {
  readonly what: string
  readonly inside: ReadonlyArray<string>
  readonly beside: ReadonlyArray<string>
}

const v4: ReadonlyArray<Range> = [
  { what: "this network", inside: ["0.0.0.0", "0.0.0.1", "0.255.255.255"], beside: ["1.0.0.0", "1.1.1.1"] },
  { what: "private (10)", inside: ["10.0.0.0", "10.0.0.1", "10.255.255.255"], beside: ["9.255.255.255", "11.0.0.0"] },
  {
    what: "carrier-grade NAT",
    inside: ["100.64.0.0", "100.100.100.200", "100.127.255.255"],
    beside: ["100.63.255.255", "100.128.0.0"]
  },
  {
    what: "link-local and cloud metadata",
    inside: ["169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255"],
    beside: ["169.253.255.255", "169.255.0.0"]
  },
  {
    what: "a cloud's metadata at a public address",
    inside: ["168.63.129.16"],
    beside: ["168.63.129.15", "168.63.129.17"]
  },
  {
    what: "private (172)",
    inside: ["172.16.0.0", "172.17.0.1", "172.31.255.255"],
    beside: ["172.15.255.255", "172.32.0.0"]
  },
  {
    what: "protocol assignments",
    inside: ["192.0.0.0", "192.0.0.192", "192.0.0.255"],
    beside: ["191.255.255.255", "192.0.1.0"]
  },
  { what: "documentation (192)", inside: ["192.0.2.0", "192.0.2.255"], beside: ["192.0.1.255", "192.0.3.0"] },
  { what: "6to4 relays", inside: ["192.88.99.0", "192.88.99.255"], beside: ["192.88.98.255", "192.88.100.0"] },
  {
    what: "private (192)",
    inside: ["192.168.0.0", "192.168.1.1", "192.168.255.255"],
    beside: ["192.167.255.255", "192.169.0.0"]
  },
  { what: "benchmarking", inside: ["198.18.0.0", "198.19.255.255"], beside: ["198.17.255.255", "198.20.0.0"] },
  {
    what: "documentation (198)",
    inside: ["198.51.100.0", "198.51.100.255"],
    beside: ["198.51.99.255", "198.51.101.0"]
  },
  { what: "documentation (203)", inside: ["203.0.113.0", "203.0.113.255"], beside: ["203.0.112.255", "203.0.114.0"] },
  { what: "multicast", inside: ["224.0.0.0", "224.0.0.251", "239.255.255.255"], beside: ["223.255.255.255"] },
  {
    what: "reserved and broadcast",
    inside: ["240.0.0.0", "250.1.2.3", "255.255.255.254", "255.255.255.255"],
    beside: []
  }
]

const v6: ReadonlyArray<Range> = [
  { what: "unspecified", inside: ["::", "0:0:0:0:0:0:0:0"], beside: [] },
  { what: "IPv4-compatible", inside: ["::7f00:1", "::127.0.0.1", "::8.8.8.8", "::10.0.0.1"], beside: [] },
  {
    what: "IPv4-mapped",
    inside: [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::FFFF:10.0.0.1",
      "0:0:0:0:0:ffff:169.254.169.254",
      "::ffff:a9fe:a9fe",
      "::ffff:8.8.8.8"
    ],
    beside: []
  },
  { what: "IPv4-translated", inside: ["::ffff:0:127.0.0.1", "::ffff:0:7f00:1"], beside: [] },
  { what: "NAT64", inside: ["64:ff9b::", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1"], beside: [] },
  { what: "discard", inside: ["100::", "100::1", "100:0:0:1::1"], beside: [] },
  { what: "below public", inside: ["200::1", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], beside: ["2000::"] },
  {
    what: "Teredo, ORCHID and other protocols",
    inside: ["2001::", "2001:0:4136:e378::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::"],
    beside: ["2001:200::", "2001:4860:4860::8888", "2000:ffff::1"]
  },
  { what: "documentation", inside: ["2001:db8::", "2001:db8:ffff::1"], beside: ["2001:db7:ffff::1", "2001:db9::"] },
  {
    what: "6to4",
    inside: ["2002::", "2002:7f00:1::", "2002:a00:1::1", "2002:ffff:ffff::"],
    beside: ["2001:ffff::1", "2003::"]
  },
  { what: "documentation (3fff)", inside: ["3fff::", "3fff:fff::1"], beside: ["3ffe:ffff::1", "3fff:1000::"] },
  { what: "above public", inside: ["4000::", "5f00::1", "7fff::1", "8000::1", "c000::1"], beside: ["3fff:ffff::1"] },
  { what: "unique local and cloud metadata", inside: ["fc00::", "fd00::1", "fd00:ec2::254", "fdff::1"], beside: [] },
  { what: "link-local", inside: ["fe80::", "fe80::1", "fe80::1%eth0", "febf::1"], beside: [] },
  { what: "site-local", inside: ["fec0::1", "feff::1"], beside: [] },
  { what: "multicast", inside: ["ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], beside: [] }
]

describe("an address", () => {
  for (const { beside, inside, what } of [...v4, ...v6]) {
    for (const address of inside) {
      it(`of ${what} is refused in both modes: ${address}`, () => {
        assert.isFalse(allowsAddress(none, true, address))
        assert.isFalse(allowsAddress(none, false, address))
      })
    }
    for (const address of beside) {
      it(`beside ${what} is allowed in both modes: ${address}`, () => {
        assert.isTrue(allowsAddress(none, true, address))
        assert.isTrue(allowsAddress(none, false, address))
      })
    }
  }

  for (const address of ["127.0.0.1", "127.0.0.0", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1", "::0001"]) {
    it(`of this machine is allowed in test mode alone: ${address}`, () => {
      assert.isFalse(allowsAddress(none, true, address))
      assert.isTrue(allowsAddress(none, false, address))
    })
  }

  const publicOnes = [
    "8.8.8.8",
    "93.184.216.34",
    "126.255.255.255",
    "128.0.0.0",
    "2606:4700:4700::1111",
    "2a00:1450::1"
  ]
  for (const address of publicOnes) {
    it(`that is public is allowed: ${address}`, () => {
      assert.isTrue(allowsAddress(none, true, address))
    })
  }

  const noAddresses = [
    "",
    " ",
    "localhost",
    "example.com",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "08.8.8.8",
    "8.8.8.8.",
    "8.8.8",
    "8.8.8.8.8",
    "8.8.8.256",
    "8.8.8.-1",
    " 8.8.8.8",
    "8.8.8.8\n",
    "8.8.8.8/32",
    "8.8.8.8:443",
    "[2606:4700:4700::1111]",
    "2606:4700:4700::1111::",
    "2606:4700:4700:1111",
    "2606::g",
    ":::",
    "%eth0"
  ]
  for (const text of noAddresses) {
    it(`that is none is refused in both modes: ${JSON.stringify(text)}`, () => {
      assert.isFalse(allowsAddress(none, true, text))
      assert.isFalse(allowsAddress(none, false, text))
    })
  }
})

describe("a host in a URL, as the URL standard reads it,", () => {
  const spellings: ReadonlyArray<readonly [host: string, address: string]> = [
    ["127.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["127.0.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0X7F000001", "127.0.0.1"],
    ["0x7f.1", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["0177.0.0.01", "127.0.0.1"],
    ["017700000001", "127.0.0.1"],
    ["00000177.1", "127.0.0.1"],
    ["127.0x0.0.1", "127.0.0.1"],
    ["%31%32%37.0.0.1", "127.0.0.1"],
    ["①②⑦.⓪.⓪.①", "127.0.0.1"],
    ["１２７.0.0.1", "127.0.0.1"],
    ["127。0。0。1", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["0x0", "0.0.0.0"],
    ["10.1", "10.0.0.1"],
    ["167772161", "10.0.0.1"],
    ["012.0.0.1", "10.0.0.1"],
    ["0xa000001", "10.0.0.1"],
    ["192.168.257", "192.168.1.1"],
    ["3232235777", "192.168.1.1"],
    ["0xc0.0xa8.1.1", "192.168.1.1"],
    ["169.254.43518", "169.254.169.254"],
    ["2852039166", "169.254.169.254"],
    ["0xa9fea9fe", "169.254.169.254"],
    ["0251.0376.0251.0376", "169.254.169.254"],
    ["4294967295", "255.255.255.255"],
    ["[::1]", "::1"],
    ["[0:0:0:0:0:0:0:1]", "::1"],
    ["[0000::0001]", "::1"],
    ["[::127.0.0.1]", "::7f00:1"],
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["[::FFFF:7F00:1]", "::ffff:7f00:1"],
    ["[0:0:0:0:0:ffff:a9fe:a9fe]", "::ffff:a9fe:a9fe"],
    ["[64:ff9b::10.0.0.1]", "64:ff9b::a00:1"],
    ["[2002:c0a8:101::]", "2002:c0a8:101::"],
    ["[FD00:EC2::254]", "fd00:ec2::254"],
    ["[fe80::1]", "fe80::1"]
  ]
  for (const [host, address] of spellings) {
    it(`${host} is ${address}, and refused in live mode`, () => {
      const hostname = new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, "")
      assert.strictEqual(hostname, address)
      assert.isFalse(allowsAddress(none, true, hostname))
    })
  }
})

describe("what the operator allows", () => {
  it("is allowed in both modes, and only that", () => {
    const policy = allowing("10.1.0.0/16", "127.0.0.1/32", "fd00:1::/32", "::1/128", "169.254.169.254/32")
    for (const address of ["10.1.0.0", "10.1.255.255", "127.0.0.1", "fd00:1::5", "::1", "169.254.169.254"]) {
      assert.isTrue(allowsAddress(policy, true, address), address)
      assert.isTrue(allowsAddress(policy, false, address), address)
    }
    for (const address of ["10.0.255.255", "10.2.0.0", "127.0.0.2", "fd00:2::5", "169.254.169.253", "192.168.0.1"]) {
      assert.isFalse(allowsAddress(policy, true, address), address)
    }
    assert.isTrue(allowsAddress(policy, true, "8.8.8.8"))
  })

  it("does not let the same address in under an IPv6 disguise", () => {
    const policy = allowing("10.0.0.0/8", "127.0.0.0/8")
    for (const address of ["::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::", "::ffff:127.0.0.1"]) {
      assert.isFalse(allowsAddress(policy, true, address), address)
    }
  })

  it("may be a whole family", () => {
    assert.isTrue(allowsAddress(allowing("0.0.0.0/0"), true, "192.168.0.1"))
    assert.isFalse(allowsAddress(allowing("0.0.0.0/0"), true, "fd00::1"))
    assert.isTrue(allowsAddress(allowing("::/0"), true, "fd00::1"))
    assert.isFalse(allowsAddress(allowing("::/0"), true, "192.168.0.1"))
  })

  it("does not make an address of what is none", () => {
    assert.isFalse(allowsAddress(allowing("0.0.0.0/0", "::/0"), true, "localhost"))
  })
})

describe("a webhook's URL", () => {
  const fine: ReadonlyArray<readonly [string, ReadonlyArray<boolean>]> = [
    ["https://example.com/hook", [true, false]],
    ["https://example.com:8443/hook?a=b#c", [true, false]],
    ["HTTPS://EXAMPLE.COM", [true, false]],
    ["https://localhost/hook", [true, false]],
    ["http://localhost/hook", [false]],
    ["http://localhost:3000/hook", [false]],
    ["http://LOCALHOST/hook", [false]],
    ["http://127.0.0.1:3000/", [false]],
    ["http://127.1/", [false]],
    ["http://example.com/hook", []],
    ["http://localhost.example.com/", []],
    ["http://127.0.0.1.example.com/", []],
    ["http://[::1]/", []],
    ["http://127.0.0.2/", []],
    ["https://user@example.com/", []],
    ["https://user:secret@example.com/", []],
    ["https://:secret@example.com/", []],
    ["http://user@localhost/", []],
    ["ftp://example.com/", []],
    ["file:///etc/passwd", []],
    ["javascript:alert(1)", []],
    ["data:text/plain,x", []],
    ["ws://example.com/", []],
    ["example.com/hook", []],
    ["/hook", []],
    ["//example.com", []],
    ["https://", []],
    ["https://exa mple.com", []],
    ["https://[::1", []],
    ["", []]
  ]
  for (const [url, modes] of fine) {
    for (const livemode of [true, false]) {
      const isFine = modes.includes(livemode)
      it(`${JSON.stringify(url)} is ${isFine ? "fine" : "refused"} in ${livemode ? "live" : "test"} mode`, () => {
        assert.strictEqual(refusalOfUrl(livemode, url) === undefined, isFine)
      })
    }
  }
})
