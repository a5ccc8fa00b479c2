import { Page } from '../../../../shared/web/page.tsx'

export const SetupPage = () => <Page title="Set up Carrel">Not built yet.</Page>
