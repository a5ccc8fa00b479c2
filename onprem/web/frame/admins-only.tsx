import { Text } from '@mantine/core'
import { Page } from '../../../shared/web/page.tsx'

/** A page of admins, opened by a member. */
export const AdminsOnly = ({ title }: { title: string }) => (
  <Page title={title}>
    <Text>Only admins can open this page. Ask an admin of this install to change something here, or to make you an admin.</Text>
  </Page>
)
