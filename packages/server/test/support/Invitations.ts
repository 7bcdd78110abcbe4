/** Steps of tests with invitations. */
import type { InvitationWithLink } from "@limbeck/api/PeopleApi"
import type { Session } from "@limbeck/api/SessionsApi"
import { expectStatus } from "./Client.ts"
import type { House, SignedInPerson } from "./House.ts"

export type LinkedInvitation = typeof InvitationWithLink.Type
type SessionView = typeof Session.Type

/** What stands behind `#/invitation/` in the link. */
export const secretOf = ({ url }: LinkedInvitation): string => new URL(url).hash.replace("#/invitation/", "")

export const invite = async (
  owner: SignedInPerson,
  body: { readonly email: string; readonly role: string; readonly name?: string }
): Promise<LinkedInvitation> => expectStatus(await owner.client.post<LinkedInvitation>("/v1/people", body), 201)

/** Opens an invitation's link in a browser without a session. */
export const open = (house: House, invitation: LinkedInvitation) =>
  house.client(null).post<SessionView>("/v1/sessions", { invitation: secretOf(invitation) })

/** A client with the session of an opened link. */
export const sessionOf = (house: House, { headers, body }: Awaited<ReturnType<typeof open>>) => {
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? ""
  return house.client(null).with({ cookie, "x-csrf-token": body.csrf_token })
}

/** Invites a new address, opens the link, and accepts. */
export const join = async (house: House, owner: SignedInPerson, body: Parameters<typeof invite>[1]) => {
  const invitation = await invite(owner, body)
  const opened = await open(house, invitation)
  const { person } = expectStatus(opened, 201)
  const client = sessionOf(house, opened)
  expectStatus(await client.post(`/v1/session/invitations/${invitation.id}/accept`), 200)
  return { id: person.id, client }
}
