/** What a storage adapter provides for conversations. */
import type { CorePorts } from "@limbeck/core/storage/StoragePorts"
import type { ConversationStore } from "./conversation/ConversationStore.ts"

export type ChatPorts = CorePorts | ConversationStore
