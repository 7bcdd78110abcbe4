/** Notifies other tabs of this browser when the shared session ends or is replaced. */
type Notice = "ended" | "replaced"

const channel = new BroadcastChannel("limbeck.session")

export const announce = (notice: Notice): void => channel.postMessage(notice)

/** Calls `listener` for each notice of another tab. Returns a function that unsubscribes. */
export const onNotice = (listener: (notice: Notice) => void): (() => void) => {
  const heard = ({ data }: MessageEvent<unknown>) => {
    if (data === "ended" || data === "replaced") listener(data)
  }
  channel.addEventListener("message", heard)
  return () => channel.removeEventListener("message", heard)
}
