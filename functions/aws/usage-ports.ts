import type { UsagePorts } from '../counting/usage-handler.ts'
import { dynamoCounters } from '../dynamo/counters/dynamo-counters.ts'
import { log, now, table } from './base-ports.ts'

/** What the consumer of the stream works with: no LanceDB, which its function does not hold. */
export const usagePorts = (): UsagePorts => ({ counters: dynamoCounters({ table: table(), log, now }), log, now })
