import { createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ReplayReport, replay } from '../../../functions/counting/replay.ts'
import type { ReplayPorts } from '../../../functions/counting/replay-batch.ts'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { dynamoReplayed } from '../../../functions/dynamo/counters/dynamo-replayed.ts'
import type { Table } from '../../../functions/dynamo/table.ts'
import { readLines } from '../../../shared/text/read-lines.ts'
import { readMetrics } from '../../../shared/usage/read-metrics.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const now = () => new Date()

/** The ports of a replaying process. */
export function replayPorts(table: Table): ReplayPorts {
  const log = recordedLog()
  return { counters: dynamoCounters({ table, log, now }), replayed: dynamoReplayed({ table, now }), log, now }
}

export const replayFile = (ports: ReplayPorts, path: string, uncertain = false): Promise<ReplayReport> =>
  replay(ports, readLines(createReadStream(path)), { uncertain })

export function fileOf(...lines: string[]): string {
  const path = join(tempDir(), 'usage.log')
  writeFileSync(path, lines.join('\n'))
  return path
}

export const logged = (event: object, uncertain = false): string =>
  JSON.stringify({ level: 50, time: 1, event, uncertain, msg: 'usage event not on the stream' })

export const metricsOf = (table: Table, id: string) => readMetrics({ counters: replayPorts(table).counters, now }, id, 8)
