import { Page } from '../../../../shared/web/page.tsx'

export const PlaygroundPage = () => <Page title="Playground">Not built yet.</Page>
