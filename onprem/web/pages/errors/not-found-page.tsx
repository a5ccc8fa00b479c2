import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'

export const NotFoundPage = () => (
  <Page title="Page not found">
    <EmptyState title="There is no page at this address" action={<LinkButton to="/">Show libraries</LinkButton>}>
      The link may be mistyped, or the page may have moved.
    </EmptyState>
  </Page>
)
