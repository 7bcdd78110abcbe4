/** An annotation of a schema that is one of a union's only so that it can be refused by a rule of its own: no error names it. */
export const unlisted = "@limbeck/unlisted"
