import { Stack, Text } from '@mantine/core'
import { LinkButton } from '../../../shared/web/link-button.tsx'
import { Page } from '../../../shared/web/page.tsx'

/** A page of admins, opened by a member. */
export const AdminsOnly = ({ title }: { title: string }) => (
  <Page title={title}>
    <Stack align="flex-start">
      <Text>Only admins can open this page. Ask an admin of this install to change something here, or to make you an admin.</Text>
      <LinkButton to="/libraries" variant="default">
        Show libraries
      </LinkButton>
    </Stack>
  </Page>
)
