import { useParams } from '@tanstack/react-router'
import { Frame } from '../../../shared/web/frame/frame.tsx'
import { ServerNotice } from '../../../shared/web/frame/server-notice.tsx'
import { helpPages } from '../../../shared/web/help/help-pages.ts'
import icon from '../../../shared/web/public/icon.svg'
import { api } from '../api/api.ts'
import { lastTeam } from '../api/last-team.ts'
import { useSession } from '../api/use-session.ts'
import { mainPages, morePages } from './main-pages.ts'
import { pagesOf } from './pages-of.ts'
import { TeamSwitcher } from './team-switcher.tsx'
import { useAccount } from './use-account.ts'

/** The frame with the pages of the shown teamspace; of the last one on pages that belong to none. */
export function DashboardFrame() {
  const { teamspaces } = useSession()
  const { team: id } = useParams({ strict: false })
  const team = teamspaces.find((each) => each.id === id) ?? lastTeam(teamspaces)
  return (
    <Frame
      icon={icon}
      pages={team ? pagesOf(team, mainPages) : []}
      more={team ? pagesOf(team, morePages) : []}
      switcher={<TeamSwitcher team={team} />}
      help={helpPages}
      account={useAccount()}
      palette={loadPalette}
      notices={<ServerNotice ping={ping} />}
    />
  )
}

const loadPalette = async () => ({ default: (await import('./dashboard-palette.tsx')).DashboardPalette })

const ping = () => api.session.$get()
