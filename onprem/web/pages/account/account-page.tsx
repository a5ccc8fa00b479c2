import { Page } from '../../../../shared/web/page.tsx'

export const AccountPage = () => <Page title="Personal settings">Not built yet.</Page>
