import { Page } from '../../../../shared/web/page.tsx'

export const LibrariesPage = () => <Page title="Libraries">Not built yet.</Page>
