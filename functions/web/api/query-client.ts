import { newQueryClient } from '../../../shared/web/api/new-query-client.ts'
import { sessionKey } from './session-query.ts'

export const queryClient = newQueryClient(sessionKey)
