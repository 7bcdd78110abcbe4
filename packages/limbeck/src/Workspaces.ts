/** The workspaces of a storage, for a program that serves nothing: no worker runs, and nothing listens. */

import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Authentication from "@limbeck/core/tokens/Authentication"
import * as Tokens from "@limbeck/core/tokens/Tokens"
import * as HostWorkspaces from "@limbeck/core/workspaces/HostWorkspaces"
import * as Workspaces from "@limbeck/core/workspaces/Workspaces"
import * as Crypto from "@limbeck/node/Crypto"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as Layer from "effect/Layer"

export const layer = (
  storage: Layer.Layer<StoragePorts, StorageError>
): Layer.Layer<HostWorkspaces.HostWorkspaces, StorageError> =>
  HostWorkspaces.layer.pipe(
    Layer.provide(Workspaces.layer),
    Layer.provide(Tokens.layer),
    Layer.provide(Authentication.layer),
    Layer.provide(Ids.layer),
    Layer.provide(storage),
    Layer.provide(Crypto.layer)
  )
