/** Mistakes in invitations, in links, and in tokens that people make. */
import type { Mutant } from "./Mutant.ts"

const server = (file: string) => ["--project", "server", file]

const invitations = "packages/core/src/people/Invitations.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "an invitation that anybody accepts",
    file: invitations,
    edits: [{ find: "&& invitation.email === email)", replace: ")" }],
    tests: server("invitations.test.ts")
  },
  {
    name: "an invitation whose link signs in who is there",
    file: invitations,
    edits: [
      {
        find: '"AlreadyExists", () =>\n      Effect.fail(refused)\n',
        replace: '"AlreadyExists", () =>\n      Effect.orDie(people.find(email))\n'
      }
    ],
    tests: server("invitations.test.ts")
  },
  {
    name: "an address that an inviter takes for every workspace",
    file: invitations,
    edits: [{ find: "const isProven = ", replace: "const isProven = person.id !== id || " }],
    tests: server("invitations.test.ts")
  },
  {
    name: "a person who is in the workspace by the invitation alone",
    file: "packages/server/src/handlers/internal/PeopleHandlers.ts",
    edits: [
      {
        find: "    return { ...PersonResource.renderInvitation(invitation)",
        replace:
          "    yield* people.add({ ...payload, workspace: partition.workspace })\n    return { ...PersonResource.renderInvitation(invitation)"
      }
    ],
    tests: server("invitations.test.ts")
  },
  {
    name: "invitations of who is no owner any more",
    file: "packages/core/src/people/People.ts",
    edits: [{ find: 'role === "owner" ? Effect.void', replace: "role !== undefined ? Effect.void" }],
    tests: server("invitations.test.ts")
  },
  {
    name: "a token made by a token that outlives the membership",
    file: "packages/core/src/tokens/Tokens.ts",
    edits: [
      {
        find: "const person = Caller.personOf(caller)",
        replace: "const person = caller.token === undefined ? Caller.personOf(caller) : undefined"
      }
    ],
    tests: server("member-tokens.test.ts")
  },
  {
    name: "tokens of the other mode that outlive the membership",
    file: "packages/core/src/tokens/MemberTokens.ts",
    edits: [{ find: ", ...(yield* ofMode(false))]", replace: "]" }],
    tests: server("member-tokens.test.ts")
  },
  {
    name: "a token that a disabled one makes",
    file: "packages/core/src/tokens/internal/TokenRights.ts",
    edits: [{ find: 'Token.statusAt(stored.value.value, now) !== "active")', replace: "now < 0)" }],
    tests: server("member-tokens.test.ts")
  },
  {
    name: "a member who gives full access",
    file: "packages/core/src/workspaces/RoleRules.ts",
    edits: [
      { find: 'scope === "full_access" ? role === "owner"', replace: 'scope === "full_access" ? role !== "viewer"' }
    ],
    tests: server("member-tokens.test.ts")
  },
  {
    name: "a guess at a link that costs a query",
    file: "packages/core/src/people/LinkSecrets.ts",
    edits: [{ find: "Mac.timingSafeEqual(tag, utf8.encode(expected))", replace: "tag.length === expected.length" }],
    tests: server("SignInLimit.test.ts")
  },
  {
    name: "a look at a link that uses it up",
    file: "packages/server/src/handlers/internal/SessionHandlers.ts",
    edits: [
      {
        find: "yield* links.look(secret)",
        replace: "yield* Effect.tap(links.look(secret), () => links.use(secret))"
      }
    ],
    tests: server("sessions.test.ts")
  },
  {
    name: "a session that a link leaves behind",
    file: "packages/core/src/people/SignInLinks.ts",
    edits: [{ find: "if (before !== undefined) yield* sessions.endOf(before)", replace: "" }],
    tests: server("sessions.test.ts")
  },
  {
    name: "an origin without its scheme",
    file: "packages/server/src/http/internal/SameOrigin.ts",
    edits: [{ find: " && page.protocol === scheme", replace: " && scheme !== undefined" }],
    tests: server("sessions.test.ts")
  }
]
