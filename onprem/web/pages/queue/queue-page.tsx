import { Page } from '../../../../shared/web/page.tsx'

export const QueuePage = () => <Page title="Queue">Not built yet.</Page>
