/** Sends a file, by drag and drop or by choice, with a progress bar; resumes at the server's offset after an interruption. */
import type { Upload } from "@limbeck/client"
import { type DragEvent, useId, useRef, useState } from "react"
import { useLocation } from "wouter"
import { useAction } from "../app/Queries.ts"
import { useClient, useMayWrite } from "../app/Session.tsx"
import { Failure } from "../parts/Failure.tsx"
import { bytes } from "../parts/Words.ts"

interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
}

type Format = Upload["format"]

interface Props {
  /** The interrupted upload to complete. */
  readonly resumes?: string
  /** Rows, unless it says otherwise. */
  readonly format?: Format
}

/** The file endings offered by the browser's dialog. */
const endings: Readonly<Record<Format, string>> = {
  chat_jsonl: ".jsonl,.gz,.json",
  decisions_jsonl: ".jsonl,.gz,.json",
  student_model: ".gguf,.tar,.gz,.tgz"
}

/** Small enough that the bar moves, and that a cut costs little. */
const partBytes = 1024 ** 2

export const Uploader = ({ format = "chat_jsonl", resumes }: Props) => {
  const client = useClient()
  const mayWrite = useMayWrite()
  const [, go] = useLocation()
  const [progress, setProgress] = useState<Progress | null>(null)
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()

  const send = useAction(
    (file: File) =>
      resumes === undefined
        ? client.uploads.send(file, { filename: file.name, format }, { onProgress: setProgress, partBytes })
        : client.uploads.resume(resumes, file, { onProgress: setProgress, partBytes }),
    (upload) => go(`/data/uploads/${upload.id}`)
  )
  const take = (files: FileList | null) => {
    const file = files?.[0]
    if (file !== undefined && mayWrite) send.mutate(file)
  }
  const hover = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is another way to do what the button does */}
      <div className={over ? "drop over" : "drop"} onDragOver={hover} onDragLeave={() => setOver(false)} onDrop={drop}>
        <label htmlFor={id}>
          {resumes === undefined ? "Drop a file here, or choose one" : "Choose the same file again"}
        </label>
        <input
          id={id}
          ref={input}
          type="file"
          accept={endings[format]}
          disabled={!mayWrite || send.isPending}
          onChange={(event) => take(event.target.files)}
        />
        {progress !== null && (
          <>
            <progress aria-label="Sent" value={progress.sentBytes} max={progress.totalBytes} />
            <output>
              {bytes(progress.sentBytes)} of {bytes(progress.totalBytes)}
            </output>
          </>
        )}
      </div>
      <Failure error={send.error} />
    </>
  )
}
