/** Conversations and their messages. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE conversations (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  sandbox boolean NOT NULL,
  session text COLLATE "C" NOT NULL,
  agent text COLLATE "C",
  channel text COLLATE "C",
  message_count bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (partition, id)
)`,

  `CREATE UNIQUE INDEX conversations_session ON conversations (partition, sandbox, session)`,

  `CREATE INDEX conversations_agent ON conversations (partition, agent, id)`,

  // For retention.
  `CREATE INDEX conversations_updated ON conversations (updated_at)`,

  `-- place counts from 1 within the conversation. doc is the whole message; it is json, which may hold what text may not: a NUL.
CREATE TABLE messages (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  conversation text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  queued boolean NOT NULL,
  created_at bigint NOT NULL,
  doc json NOT NULL,
  PRIMARY KEY (partition, id)
)`,

  `CREATE UNIQUE INDEX messages_place ON messages (partition, conversation, place)`,

  `CREATE INDEX messages_listed ON messages (partition, conversation, id)`,

  `CREATE INDEX messages_queued ON messages (partition, conversation, place) WHERE queued`
]
