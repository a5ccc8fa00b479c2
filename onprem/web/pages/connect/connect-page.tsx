import { Page } from '../../../../shared/web/page.tsx'

export const ConnectPage = () => <Page title="Connect">Not built yet.</Page>
