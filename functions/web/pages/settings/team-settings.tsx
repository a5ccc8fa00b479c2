import { SettingsFrame } from '../../../../shared/web/settings/settings-frame.tsx'
import { useTeam } from '../../api/use-team.ts'
import { pagesOf } from '../../frame/pages-of.ts'
import { settingsPages } from '../../frame/settings-pages.ts'

/** The settings of a teamspace that the user may open. */
export const TeamSettings = () => <SettingsFrame pages={pagesOf(useTeam(), settingsPages)} />
