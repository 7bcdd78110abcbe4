/** What every assembly on Node stands on: a storage, Node's crypto, an undici sender, the settings. */
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { EventType } from "@limbeck/core/events/Event"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as BlobsInstead from "@limbeck/node/blobs/BlobsInstead"
import * as Crypto from "@limbeck/node/Crypto"
import type { TelemetryOptions } from "@limbeck/node/telemetry/Telemetry"
import * as UndiciSender from "@limbeck/node/webhooks/UndiciSender"
import * as Settings from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as IpNetwork from "effect/net/IpNetwork"
import * as References from "effect/References"
import * as EncryptionKeys from "./EncryptionKeys.ts"

export type { TelemetryOptions } from "@limbeck/node/telemetry/Telemetry"
export type { EncryptionKey, EncryptionKeys } from "./EncryptionKeys.ts"

/** `Ports`: what the assembly needs of its storage. */
export interface PlatformOptions<Ports> {
  readonly storage: Layer.Layer<Ports | Blobs, StorageError>
  /**
   * A folder for contents: uploads, checkpoints, students. By default contents are kept in the storage; earlier contents
   * are still read from there. Servers that share a storage share the folder.
   */
  readonly blobs?: { readonly directory: string }
  /**
   * 32 bytes each, in base64; the first encrypts, all decrypt. Unless given, they are those of the environment variable
   * ENCRYPTION_KEY, separated by commas.
   */
  readonly encryptionKeys?: ReadonlyArray<EncryptionKeys.EncryptionKey> | undefined
  readonly settings?: Settings.GivenSettings
  /** CIDR blocks that the egress guard admits, such as `10.0.0.0/8`; none by default. */
  readonly egressAllow?: ReadonlyArray<string>
  /**
   * Returns the holder of a port of this machine; by default no port has a holder. Requests of tenants never reach a port
   * that has a holder, although test mode may reach this machine. They fail as `blocked_address` at the port of a `server`,
   * and as at a closed port at that of a `program`. Called at each connection to this machine.
   *
   * @example
   * portHolder: (port) => (port === 3000 ? "server" : undefined)
   */
  readonly portHolder?: EgressPolicy["portHolder"]
  /** Event types of the host's own. */
  readonly eventTypes?: ReadonlyArray<EventType>
  /**
   * The OpenTelemetry collector that traces and metrics are sent to; none by default, and then nothing is traced. An Effect
   * program may provide the assembly with a tracer of its own instead, and with `Trace.SampleRatio`.
   */
  readonly telemetry?: TelemetryOptions
  /** Whether workers run in this process; true by default. Without them it serves requests only. */
  readonly workers?: boolean
}

/** Spans cost a tenth of a request: each traced part enables them for itself. */
const tracing = Layer.succeed(References.TracerEnabled, false)

/** Loaded where somebody listens. */
const telemetry = ({ telemetry: told }: Pick<PlatformOptions<never>, "telemetry">): Layer.Layer<never> =>
  told === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@limbeck/node/telemetry/Telemetry")),
          (Telemetry) => Telemetry.layer(told)
        )
      )

const invalid = (setting: string, rule: string) =>
  new Settings.InvalidSetting({ message: `${setting} ${rule}`, setting })

/** Where outbound requests that a tenant can aim may go. */
export const egressPolicy = ({
  egressAllow = [],
  portHolder
}: Pick<PlatformOptions<never>, "egressAllow" | "portHolder">): Effect.Effect<EgressPolicy, Settings.InvalidSetting> =>
  Effect.forEach(egressAllow, (block) =>
    Effect.mapError(Effect.fromResult(IpNetwork.fromString(block)), () =>
      invalid("egressAllow", `holds ${block}, and takes networks such as 10.0.0.0/8`)
    )
  ).pipe(Effect.map((allowed) => ({ allowed, portHolder })))

/** The storage as given, and what every assembly needs of Node. Fails with `InvalidSetting`, which names the setting. */
export const layer = <Ports>({ blobs, encryptionKeys, settings, storage, ...options }: PlatformOptions<Ports>) =>
  Layer.mergeAll(
    blobs === undefined ? storage : BlobsInstead.inFolder(storage, blobs.directory),
    Layer.unwrap(Effect.map(EncryptionKeys.read(encryptionKeys), Secrets.layer)),
    Layer.unwrap(Effect.map(egressPolicy(options), (policy) => UndiciSender.layer({ policy }))),
    Settings.layer(settings)
  ).pipe(Layer.provideMerge(Layer.mergeAll(Crypto.layer, tracing, telemetry(options))))
