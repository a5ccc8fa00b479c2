import { SegmentedControl, Stack, useMantineColorScheme } from '@mantine/core'
import { FactList } from '../../../../shared/web/fact-list.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { useSession } from '../../api/use-session.ts'
import { DeleteAccount } from './delete-account.tsx'
import { DownloadData } from './download-data.tsx'
import { SessionList } from './session-list.tsx'

/** The user's own account. */
export function AccountPage() {
  const { name, email } = useSession().user
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Page title="Account" facts="Your name and address come from the service at which you sign in.">
      <Stack gap="xl">
        <FactList
          facts={[
            ['Name', <bdi key="name">{name}</bdi>],
            ['E-mail address', <bdi key="email">{email}</bdi>],
          ]}
        />
        <PageSection title="Sessions" text="The browsers in which you are signed in.">
          <SessionList />
        </PageSection>
        <PageSection title="Theme">
          <SegmentedControl
            aria-label="Theme"
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
            data={[
              { value: 'auto', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        </PageSection>
        <PageSection title="Your data" text="Everything that is stored about you, as a JSON file.">
          <DownloadData />
        </PageSection>
        <PageSection
          title="Delete account"
          text="Teamspaces that have another owner remain. A teamspace whose last owner you are must be deleted or handed over first."
        >
          <DeleteAccount />
        </PageSection>
      </Stack>
    </Page>
  )
}
