import { Page } from '../../../../shared/web/page.tsx'

export const LibraryPage = () => <Page title="Library">Not built yet.</Page>
