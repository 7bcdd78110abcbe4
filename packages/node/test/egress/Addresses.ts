/** Every range of addresses with a meaning of its own, at its edges and within, as name servers spell addresses. */

export interface Range {
  readonly what: string
  /** Its lowest and its highest address. */
  readonly edges: readonly [first: string, last: string]
  /** Special addresses in the range. */
  readonly within: ReadonlyArray<string>
  /** The next addresses outside the range, if public. */
  readonly beside: ReadonlyArray<string>
}

/** Refused in both modes. */
export const refusedV4: ReadonlyArray<Range> = [
  { what: "this network", edges: ["0.0.0.0", "0.255.255.255"], within: ["0.0.0.1", "0.1.2.3"], beside: ["1.0.0.0"] },
  {
    what: "private (10)",
    edges: ["10.0.0.0", "10.255.255.255"],
    within: ["10.0.0.1", "10.0.2.2", "10.96.0.1", "10.255.255.254"],
    beside: ["9.255.255.255", "11.0.0.0"]
  },
  {
    what: "carrier-grade NAT",
    edges: ["100.64.0.0", "100.127.255.255"],
    within: ["100.64.0.1", "100.100.100.200", "100.115.92.2"],
    beside: ["100.63.255.255", "100.128.0.0"]
  },
  {
    what: "metadata of a cloud at a public address",
    edges: ["168.63.129.16", "168.63.129.16"],
    within: [],
    beside: ["168.63.129.15", "168.63.129.17"]
  },
  {
    what: "link-local and cloud metadata",
    edges: ["169.254.0.0", "169.254.255.255"],
    within: [
      "169.254.0.23",
      "169.254.169.254",
      "169.254.169.253",
      "169.254.169.123",
      "169.254.170.2",
      "169.254.170.23"
    ],
    beside: ["169.253.255.255", "169.255.0.0"]
  },
  {
    what: "private (172)",
    edges: ["172.16.0.0", "172.31.255.255"],
    within: ["172.17.0.1", "172.18.0.2", "172.20.10.1"],
    beside: ["172.15.255.255", "172.32.0.0"]
  },
  {
    what: "protocol assignments",
    edges: ["192.0.0.0", "192.0.0.255"],
    within: ["192.0.0.1", "192.0.0.8", "192.0.0.9", "192.0.0.170", "192.0.0.192"],
    beside: ["191.255.255.255", "192.0.1.0"]
  },
  {
    what: "documentation (192)",
    edges: ["192.0.2.0", "192.0.2.255"],
    within: ["192.0.2.1"],
    beside: ["192.0.1.255", "192.0.3.0"]
  },
  {
    what: "AS112, which answers for private names",
    edges: ["192.31.196.0", "192.31.196.255"],
    within: ["192.31.196.1"],
    beside: ["192.31.195.255", "192.31.197.0"]
  },
  {
    what: "multicast relays",
    edges: ["192.52.193.0", "192.52.193.255"],
    within: ["192.52.193.1"],
    beside: ["192.52.192.255", "192.52.194.0"]
  },
  {
    what: "6to4 relays",
    edges: ["192.88.99.0", "192.88.99.255"],
    within: ["192.88.99.1"],
    beside: ["192.88.98.255", "192.88.100.0"]
  },
  {
    what: "private (192)",
    edges: ["192.168.0.0", "192.168.255.255"],
    within: ["192.168.0.1", "192.168.1.1", "192.168.65.2", "192.168.99.100"],
    beside: ["192.167.255.255", "192.169.0.0"]
  },
  {
    what: "AS112 by delegation",
    edges: ["192.175.48.0", "192.175.48.255"],
    within: ["192.175.48.1", "192.175.48.6"],
    beside: ["192.175.47.255", "192.175.49.0"]
  },
  {
    what: "benchmarking",
    edges: ["198.18.0.0", "198.19.255.255"],
    within: ["198.18.0.1", "198.18.255.255", "198.19.0.0"],
    beside: ["198.17.255.255", "198.20.0.0"]
  },
  {
    what: "documentation (198)",
    edges: ["198.51.100.0", "198.51.100.255"],
    within: ["198.51.100.1"],
    beside: ["198.51.99.255", "198.51.101.0"]
  },
  {
    what: "documentation (203)",
    edges: ["203.0.113.0", "203.0.113.255"],
    within: ["203.0.113.1"],
    beside: ["203.0.112.255", "203.0.114.0"]
  },
  {
    what: "multicast",
    edges: ["224.0.0.0", "239.255.255.255"],
    within: ["224.0.0.1", "224.0.0.251", "232.0.0.1", "233.252.0.1", "239.192.0.1"],
    beside: ["223.255.255.255"]
  },
  {
    what: "reserved and broadcast",
    edges: ["240.0.0.0", "255.255.255.255"],
    within: ["240.0.0.1", "250.1.2.3", "255.0.0.0", "255.255.255.254"],
    beside: []
  }
]

/** This machine: let through in test mode. */
export const loopback: ReadonlyArray<Range> = [
  {
    what: "this machine",
    edges: ["127.0.0.0", "127.255.255.255"],
    within: ["127.0.0.1", "127.0.0.2", "127.0.0.53", "127.0.1.1", "127.1.2.3", "127.255.255.254"],
    beside: ["126.255.255.255", "128.0.0.0"]
  },
  {
    what: "this machine (6)",
    edges: ["::1", "::1"],
    within: [
      "0:0:0:0:0:0:0:1",
      "::0001",
      "0000:0000:0000:0000:0000:0000:0000:0001",
      "0::1",
      "::0:1",
      "::0.0.0.1",
      "::1%lo"
    ],
    beside: []
  }
]

/** Refused in both modes. */
export const refusedV6: ReadonlyArray<Range> = [
  {
    what: "unspecified",
    edges: ["::", "::"],
    within: ["0:0:0:0:0:0:0:0", "::0", "::0.0.0.0", "::%eth0"],
    beside: []
  },
  {
    what: "IPv4-compatible",
    edges: ["::2", "::ffff:ffff"],
    within: ["::7f00:1", "::127.0.0.1", "::10.0.0.1", "::a9fe:a9fe", "::8.8.8.8", "::0.0.0.2"],
    beside: []
  },
  {
    what: "IPv4-mapped",
    edges: ["::ffff:0.0.0.0", "::ffff:255.255.255.255"],
    within: [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::FFFF:7F00:0001",
      "::ffff:10.0.0.1",
      "::ffff:a00:1",
      "::ffff:192.168.1.1",
      "::ffff:172.16.0.1",
      "::ffff:100.64.0.1",
      "0:0:0:0:0:ffff:169.254.169.254",
      "::ffff:a9fe:a9fe",
      "::ffff:8.8.8.8",
      "::ffff:808:808",
      "0000:0000:0000:0000:0000:ffff:7f00:0001",
      "::ffff:127.0.0.1%eth0"
    ],
    beside: []
  },
  {
    what: "IPv4-translated",
    edges: ["::ffff:0:0:0", "::ffff:0:ffff:ffff"],
    within: ["::ffff:0:127.0.0.1", "::ffff:0:7f00:1", "::ffff:0:10.0.0.1", "::ffff:0:808:808"],
    beside: []
  },
  {
    what: "NAT64",
    edges: ["64:ff9b::", "64:ff9b::ffff:ffff"],
    within: [
      "64:ff9b::127.0.0.1",
      "64:ff9b::7f00:1",
      "64:ff9b::10.0.0.1",
      "64:ff9b::c0a8:101",
      "64:ff9b::169.254.169.254",
      "64:FF9B::A9FE:A9FE",
      "64:ff9b::8.8.8.8",
      "0064:ff9b:0:0:0:0:7f00:1"
    ],
    beside: []
  },
  {
    what: "local NAT64",
    edges: ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
    within: ["64:ff9b:1::1", "64:ff9b:1::10.0.0.1", "64:ff9b:1:abcd:0:5:7f00:1"],
    beside: []
  },
  {
    what: "discard",
    edges: ["100::", "100::ffff:ffff:ffff:ffff"],
    within: ["100::1", "0100::dead:beef", "100:0:0:1::1"],
    beside: []
  },
  {
    what: "what nobody was given, below public",
    edges: ["101::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["200::1", "400::1", "800::1", "1000::1"],
    beside: ["2000::"]
  },
  {
    what: "Teredo",
    edges: ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:7f00:1::", "2001:0000:0a00:0001::", "2001::80ff:fffe"],
    beside: ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
  },
  {
    what: "other protocols at 2001",
    edges: ["2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: [
      "2001:1::1",
      "2001:1::2",
      "2001:2::",
      "2001:2:0:ffff:ffff:ffff:ffff:ffff",
      "2001:3::1",
      "2001:4:112::1",
      "2001:10::1",
      "2001:1f:ffff::1",
      "2001:20::1",
      "2001:2f:ffff::1",
      "2001:30::1",
      "2001:3f:ffff::1"
    ],
    beside: ["2001:200::"]
  },
  {
    what: "documentation",
    edges: ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["2001:db8::1", "2001:0DB8::1", "2001:db8:85a3::8a2e:370:7334"],
    beside: ["2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"]
  },
  {
    what: "6to4",
    edges: ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: [
      "2002:7f00:1::",
      "2002:7f00:1::1",
      "2002:a00:1::1",
      "2002:c0a8:101::1",
      "2002:ac10:1::1",
      "2002:a9fe:a9fe::1",
      "2002:6440:1::1",
      "2002:808:808::1"
    ],
    beside: ["2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"]
  },
  {
    what: "AS112 (6)",
    edges: ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"],
    within: ["2620:4f:8000::1", "2620:4f:8000::42"],
    beside: ["2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8001::"]
  },
  {
    what: "documentation (3fff)",
    edges: ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["3fff::1", "3FFF:0:0::1"],
    beside: ["3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"]
  },
  {
    what: "what nobody was given, above public",
    edges: ["4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["4000::1", "5000::1"],
    beside: ["3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
  },
  {
    what: "segment routing",
    edges: ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["5f00::1", "5F00:1:2::3"],
    beside: []
  },
  {
    what: "what nobody was given, far above public",
    edges: ["5f01::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["6000::1", "8000::1", "a000::1", "c000::1", "e000::1", "f000::1", "f800::1"],
    beside: []
  },
  {
    what: "unique local and cloud metadata",
    edges: ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: [
      "fc00::1",
      "fd00::",
      "fd00::1",
      "fd00:ec2::254",
      "FD00:EC2::254",
      "fd20:ce::254",
      "fd00:c1::a9fe:a9fe",
      "fd00:42::42"
    ],
    beside: []
  },
  {
    what: "between unique local and link-local",
    edges: ["fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["fe00::1"],
    beside: []
  },
  {
    what: "link-local",
    edges: ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: [
      "fe80::1",
      "FE80::1",
      "fe80::1%eth0",
      "fe80::1%1",
      "fe80::a9fe:a9fe",
      "fe80:0:0:0:0:0:0:1",
      "fe90::1",
      "fea0::1"
    ],
    beside: []
  },
  {
    what: "site-local",
    edges: ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["fec0::1", "fed0::1", "feff::1"],
    beside: []
  },
  {
    what: "multicast",
    edges: ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    within: ["ff01::1", "ff02::1", "ff02::fb", "ff05::1", "ff0e::1", "ff02::1%eth0", "ff3e:40:2001:db8::1"],
    beside: []
  }
]

/** Let through in both modes. */
export const publicOnes: ReadonlyArray<string> = [
  "1.1.1.1",
  "8.8.8.8",
  "8.8.4.4",
  "9.9.9.9",
  "93.184.216.34",
  "99.255.255.255",
  "101.0.0.0",
  "140.82.112.3",
  "172.64.0.1",
  "172.217.16.206",
  "192.1.0.0",
  "192.30.255.112",
  "198.41.0.4",
  "198.50.255.255",
  "203.1.0.0",
  "216.58.0.1",
  "2000::1",
  "2400:cb00::1",
  "2600::",
  "2606:4700:4700::1111",
  "2606:4700:4700:0:0:0:0:1111",
  "2606:4700:4700:0000:0000:0000:0000:1001",
  "2001:4860:4860::8888",
  "2001:4860:4860::8.8.8.8",
  "2001:67C:2E8:22::C100:68B",
  "2620:fe::fe",
  "2a00:1450:4001:80b::200e",
  "2c0f:fb50::1"
]

/**
 * Text that is no address, or not in the canonical form of a name server's answer: refused in both modes, regardless of the
 * operator's allowances.
 */
export const noAddresses: ReadonlyArray<string> = [
  "",
  " ",
  ".",
  ":",
  "::%",
  ":::",
  "%eth0",
  "localhost",
  "example.com",
  "127.1",
  "127.0.1",
  "2130706433",
  "134744072",
  "0x7f000001",
  "0x8.8.8.8",
  "0177.0.0.1",
  "08.8.8.8",
  "8.8.8.08",
  "8.8.8.8.",
  ".8.8.8.8",
  "8..8.8",
  "8.8.8",
  "8.8.8.8.8",
  "8.8.8.256",
  "8.8.8.1000",
  "8.8.8.-1",
  "8.8.8.+8",
  "8.8.8.8e0",
  " 8.8.8.8",
  "8.8.8.8 ",
  "8.8.8.8\n",
  "8.8.8.8\0",
  "8.8.8.8%eth0",
  "8,8,8,8",
  "8.8.8.8/32",
  "8.8.8.8:443",
  "8.8.8.8, 127.0.0.1",
  "８.8.8.8",
  "8。8。8。8",
  "٨.8.8.8",
  "[2606:4700:4700::1111]",
  "2606:4700:4700::1111::",
  "2606:4700:4700:1111",
  "2606:4700::4700::1111",
  "2606:4700:4700:0:0:0:0:0:1111",
  "2606:4700:4700:0:0:0:0:1111:",
  ":2606:4700:4700:0:0:0:1111",
  "12606::1",
  "2606::00001",
  "2606::g",
  "2606::1/128",
  "2606::8.8.8",
  "2606::8.8.8.256",
  "2606::08.8.8.8",
  "2606::8.8.8.8:1",
  "2606::1 ",
  "2606::1\n",
  "fe80::1%eth0\n",
  "2606::1%"
]
