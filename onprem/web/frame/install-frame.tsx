import { useSuspenseQuery } from '@tanstack/react-query'
import { Frame } from '../../../shared/web/frame/frame.tsx'
import { ServerNotice } from '../../../shared/web/frame/server-notice.tsx'
import { helpPages } from '../../../shared/web/help/help-pages.ts'
import icon from '../../../shared/web/public/icon.svg'
import { api } from '../api/api.ts'
import { sessionQuery } from '../api/session-query.ts'
import { mainPages } from './main-pages.ts'
import { LicenseNotice, PrivateNotice } from './notices.tsx'
import { useAccount } from './use-account.ts'
import { useQueueLabel, Work, WorkBadge } from './work.tsx'

/** The frame with the pages that the user may open. */
export function InstallFrame() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queueLabel = useQueueLabel('Parse Queue')
  const pages = mainPages
    .filter((page) => !('role' in page) || session?.user.role === page.role)
    .map((page) => (page.to === '/queue' ? { ...page, name: queueLabel, badge: <WorkBadge /> } : page))
  return (
    <Frame
      icon={icon}
      pages={pages}
      help={helpPages}
      account={useAccount()}
      palette={loadPalette}
      work={<Work />}
      notices={
        <>
          <ServerNotice ping={ping} />
          <LicenseNotice />
          <PrivateNotice />
        </>
      }
    />
  )
}

const loadPalette = async () => ({ default: (await import('./install-palette.tsx')).InstallPalette })

const ping = () => api.health.$get()
