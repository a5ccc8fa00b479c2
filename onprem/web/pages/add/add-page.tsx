import { Page } from '../../../../shared/web/page.tsx'

export const AddPage = () => <Page title="Add a library">Not built yet.</Page>
