/** The URL that a text is, if it is one that we send requests to; undefined otherwise. */
export const httpUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined
}
