import { Page } from '../../../../shared/web/page.tsx'

export const SettingsPage = () => <Page title="Settings">Not built yet.</Page>
