import { newQueryClient } from '../../../shared/web/api/new-query-client.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { sessionKey } from './session-query.ts'

export const queryClient = newQueryClient(sessionKey, showToast)
