import { useSuspenseQuery } from '@tanstack/react-query'
import { SettingsFrame } from '../../../../shared/web/settings/settings-frame.tsx'
import { sessionQuery } from '../../api/session-query.ts'
import { AdminsOnly } from '../../frame/admins-only.tsx'
import { settingsPages } from '../../frame/settings-pages.ts'

/** The settings of this install, which only admins see. */
export function SettingsPage() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  return session?.user.role === 'admin' ? <SettingsFrame pages={settingsPages} /> : <AdminsOnly title="Settings" />
}
