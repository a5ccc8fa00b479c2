import { Alert, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, Info } from 'lucide-react'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { aboutQuery, settingsQuery } from '../../api/queries.ts'
import { ChoosePrivate } from './choose-private.tsx'
import { PermissionSwitch } from './permission-switch.tsx'
import { permissionTexts } from './permission-texts.ts'

export function PermissionsPage() {
  const settings = useQuery(settingsQuery)
  const about = useQuery(aboutQuery)
  const failed = [settings, about].find(({ isLoadingError }) => isLoadingError)
  return (
    <SettingsSection
      title="Permissions"
      about="What callers without a key or a session may do. A change applies to the next request."
    >
      {failed?.error ? (
        <ErrorState error={failed.error} what="The permissions cannot be loaded" retry={() => void failed.refetch()} />
      ) : settings.data && about.data ? (
        <>
          <Reach reachable={about.data.reachable} />
          {!settings.data['permissions.privateChosen'] && (
            <ChoosePrivate settings={settings.data} reason="Nobody has chosen it yet." />
          )}
          <Stack gap={0}>
            {permissionTexts.map((text) => (
              <PermissionSwitch key={text.name} text={text} settings={settings.data} reachable={about.data.reachable} />
            ))}
          </Stack>
        </>
      ) : (
        <>
          <Skeleton height={52} />
          <Skeleton height={7 * 84} />
        </>
      )}
    </SettingsSection>
  )
}

const Reach = ({ reachable }: { reachable: boolean }) =>
  reachable ? (
    <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden />}>
      Other machines can reach this server. What you open here is open to everyone on its network.
    </Alert>
  ) : (
    <Alert color="gray" icon={<Info size={18} aria-hidden />}>
      Only this machine can reach the server, so “everyone” means everyone who works on it.
    </Alert>
  )
