import { Page } from '../../../../shared/web/page.tsx'

export const ChangeCredentialsPage = () => <Page title="Change your credentials">Not built yet.</Page>
