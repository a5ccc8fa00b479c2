import { loadLance } from '../../shared/store/load-lance.ts'
import { httpHandler } from '../aws/http-handler.ts'
import { awsHosted } from '../aws/stage-ports.ts'
import { createApi } from '../server.ts'

// While a function starts, it has more processor time than while a caller waits.
await loadLance()

/** Every route except the export. */
export const handler = httpHandler(createApi(awsHosted()), { 'access-control-allow-origin': '*' })
