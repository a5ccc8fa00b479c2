import type { UsagePorts } from '../counting/usage-handler.ts'
import { dynamoCounters } from '../dynamo/counters/dynamo-counters.ts'
import { log, now, table } from './base-ports.ts'

/** The ports of the stream's consumer. This file must not import LanceDB, which the function does not contain. */
export const usagePorts = (): UsagePorts => ({ counters: dynamoCounters({ table: table(), log, now }), log, now })
