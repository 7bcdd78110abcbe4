/** The operator's allowed CIDR blocks, and their effect on addresses; the same in both modes unless noted. */

export interface Allowance {
  readonly allowed: ReadonlyArray<string>
  readonly inside: ReadonlyArray<string>
  /** Refused in live mode all the same. */
  readonly outside: ReadonlyArray<string>
}

export const allowances: ReadonlyArray<Allowance> = [
  {
    allowed: ["10.1.0.0/16"],
    inside: ["10.1.0.0", "10.1.2.3", "10.1.255.255", "8.8.8.8"],
    outside: ["10.0.255.255", "10.2.0.0", "192.168.1.1", "127.0.0.1", "::1", "fd00::1"]
  },
  {
    allowed: ["127.0.0.1/32"],
    inside: ["127.0.0.1"],
    outside: ["127.0.0.0", "127.0.0.2", "::1", "::ffff:127.0.0.1", "::7f00:1", "0.0.0.0"]
  },
  {
    allowed: ["127.0.0.0/8", "::1/128"],
    inside: ["127.0.0.1", "127.255.255.255", "::1"],
    outside: ["128.0.0.0%x", "::2", "::"]
  },
  {
    allowed: ["192.168.1.128/25"],
    inside: ["192.168.1.128", "192.168.1.255"],
    outside: ["192.168.1.127", "192.168.2.0"]
  },
  {
    allowed: ["172.16.0.0/12", "10.0.0.0/8", "192.168.0.0/16"],
    inside: ["172.16.0.0", "172.31.255.255", "10.255.255.255", "192.168.255.255"],
    outside: ["169.254.169.254", "100.64.0.1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::"]
  },
  { allowed: ["169.254.169.254/32"], inside: ["169.254.169.254"], outside: ["169.254.169.253", "169.254.170.2"] },
  { allowed: ["100.64.0.0/10"], inside: ["100.64.0.0", "100.127.255.255"], outside: ["10.0.0.1"] },
  {
    allowed: ["fd00:1::/32"],
    inside: ["fd00:1::5", "fd00:1:ffff::"],
    outside: ["fd00:2::5", "fd00:0:ffff::", "10.0.0.1"]
  },
  { allowed: ["fd00::/8"], inside: ["fd00::1", "fd00:ec2::254"], outside: ["fc00::1", "fe80::1"] },
  { allowed: ["fe80::/10"], inside: ["fe80::1", "fe80::1%eth0"], outside: ["fec0::1"] },
  { allowed: ["::ffff:0:0/96"], inside: ["::ffff:10.0.0.1", "::ffff:7f00:1"], outside: ["10.0.0.1", "127.0.0.1"] },
  { allowed: ["64:ff9b::/96"], inside: ["64:ff9b::8.8.8.8"], outside: ["64:ff9b:1::8.8.8.8"] },
  {
    allowed: ["0.0.0.0/0"],
    inside: ["192.168.0.1", "127.0.0.1", "255.255.255.255"],
    outside: ["fd00::1", "::1", "::ffff:10.0.0.1"]
  },
  {
    allowed: ["::/0"],
    inside: ["fd00::1", "::1", "::ffff:10.0.0.1"],
    outside: ["192.168.0.1", "127.0.0.1", "10.0.0.1"]
  },
  {
    allowed: ["0.0.0.0/0", "::/0"],
    inside: ["10.0.0.1", "fd00::1"],
    outside: ["localhost", "127.1", "2130706433", ""]
  },
  { allowed: ["8.8.8.8/32"], inside: ["8.8.8.8", "8.8.4.4", "2606:4700:4700::1111"], outside: ["10.8.8.8"] }
]
