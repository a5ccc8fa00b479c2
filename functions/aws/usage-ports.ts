import type { ReplayPorts } from '../counting/replay-batch.ts'
import type { UsagePorts } from '../counting/usage-handler.ts'
import { dynamoCounters } from '../dynamo/counters/dynamo-counters.ts'
import { dynamoReplayed } from '../dynamo/counters/dynamo-replayed.ts'
import { log, now, table } from './base-ports.ts'

// This file must not import LanceDB, which its functions do not contain.

/** The ports of the stream's consumer. */
export const usagePorts = (): UsagePorts => ({ counters: dynamoCounters({ table: table(), log, now }), log, now })

/** The ports of the function that counts events from the log. */
export const replayPorts = (): ReplayPorts => ({ ...usagePorts(), replayed: dynamoReplayed({ table: table(), now }) })
