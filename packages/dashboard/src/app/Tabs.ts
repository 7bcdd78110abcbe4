/** Tells the other tabs of this browser that the session which all of them use has ended, or is another. */
type Notice = "ended" | "replaced"

const channel = new BroadcastChannel("limbeck.session")

export const announce = (notice: Notice): void => channel.postMessage(notice)

/** Calls `listener` with what other tabs announce, until the result is called. */
export const onNotice = (listener: (notice: Notice) => void): (() => void) => {
  const heard = ({ data }: MessageEvent<unknown>) => {
    if (data === "ended" || data === "replaced") listener(data)
  }
  channel.addEventListener("message", heard)
  return () => channel.removeEventListener("message", heard)
}
