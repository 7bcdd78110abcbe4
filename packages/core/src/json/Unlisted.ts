/** Marks a member of a union that exists only to be rejected by its own rule: error messages do not list it. */
export const unlistedKey = "@limbeck/unlisted"
