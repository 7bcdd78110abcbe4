/** What was typed into a form. */

/** Without the blanks around it; empty where nothing was typed. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? "").trim()

/** Separated by commas or blanks. */
export const listOf = (form: FormData, name: string): Array<string> =>
  textOf(form, name)
    .split(/[\s,]+/)
    .filter((word) => word !== "")

export const numberOf = (form: FormData, name: string): number | undefined =>
  textOf(form, name) === "" ? undefined : Number(textOf(form, name))
