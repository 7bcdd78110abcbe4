/** Usage by partition, day and kind, added to by the ledger and by captured calls. */
import type { Usage } from "@limbeck/billing/ledger/Entry"
import { usageKey } from "@limbeck/billing/ledger/LedgerRules"
import type { UndoLog } from "../database/MemoryDatabase.ts"
import { Family, Table } from "../database/Table.ts"

export class UsageTables {
  private readonly partitions = new Family(() => new Table<Usage>())

  of(partition: string): Table<Usage> {
    return this.partitions.of(partition)
  }

  add(undoLog: UndoLog, partition: string, row: Usage): void {
    const table = this.of(partition)
    const { micros = 0, quantity = 0 } = table.get(usageKey(row)) ?? {}
    table.set(undoLog, usageKey(row), { ...row, micros: micros + row.micros, quantity: quantity + row.quantity })
  }
}
