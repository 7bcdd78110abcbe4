/** Parses a URL that we can send requests to; otherwise undefined. */
export const httpUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined
}
