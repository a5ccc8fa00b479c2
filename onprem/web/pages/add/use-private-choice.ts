import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hasGitSecret } from '../../../../shared/settings/git-secrets.ts'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'
import { settingsQuery } from '../../api/queries.ts'
import { sessionQuery } from '../../api/session-query.ts'
import type { PreviewRequest } from './use-preview.ts'

/**
 * True if an admin must choose who can read private libraries before a repository is added. Only a stored token can read a
 * private one.
 */
export function usePrivateChoice() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { data: settings } = useQuery({ ...settingsQuery, enabled: session?.user.role === 'admin' })
  const [isPrivate, setIsPrivate] = useState(false)
  const hasToken = settings !== undefined && hasGitSecret(settings)
  const isUnchosen = hasToken && !settings['permissions.privateChosen']
  return {
    /** The settings while nobody has chosen. */
    settings: isUnchosen ? settings : undefined,
    isPrivate,
    async mustWait(json: PreviewRequest): Promise<boolean> {
      if (!isUnchosen) return false
      // A preview that fails here also fails in the parse, or is only too large for a preview.
      const preview = await answerOf(api.parse.preview.$post({ json })).catch(() => undefined)
      setIsPrivate(preview?.private === true)
      return preview?.private === true
    },
  }
}
