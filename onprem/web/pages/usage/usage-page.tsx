import { Page } from '../../../../shared/web/page.tsx'

export const UsagePage = () => <Page title="Usage">Not built yet.</Page>
