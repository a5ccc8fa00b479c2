import { SegmentedControl, Stack, useMantineColorScheme } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Page } from '../../../../shared/web/page.tsx'
import { PageSection } from '../../../../shared/web/page-section.tsx'
import { sessionQuery } from '../../api/session-query.ts'
import { NewOwnKeyButton } from '../../keys/new-own-key-button.tsx'
import { FactorList } from '../../second-factor/factor-list.tsx'
import { CredentialsForm } from './credentials-form.tsx'
import { GrantList } from './grant-list.tsx'
import { KeyList } from './key-list.tsx'
import { SessionList } from './session-list.tsx'

/** The settings of the user's own account. */
export function AccountPage() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Page
      title="Personal Settings"
      facts={session && `Signed in as ${session.user.username}, ${session.user.role === 'admin' ? 'an admin' : 'a member'}`}
    >
      <Stack gap="xl">
        <PageSection
          title="API Keys"
          text="Agents and scripts sign in with a key."
          action={<NewOwnKeyButton>New key</NewOwnKeyButton>}
        >
          <KeyList />
        </PageSection>
        <PageSection title="Credentials" text="A change ends your other sessions.">
          <CredentialsForm />
        </PageSection>
        {session?.user.issuer === null && (
          <PageSection title="Second factor" text="What a sign-in asks for after your password.">
            <FactorList />
          </PageSection>
        )}
        <PageSection title="MCP clients" text="Programs that you allowed to read in your name, without a key.">
          <GrantList />
        </PageSection>
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
      </Stack>
    </Page>
  )
}
