import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { Page } from '../../../../shared/web/page.tsx'

/** Replaces a page that cannot be loaded or drawn. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page title="This page cannot be shown">
      <ErrorState error={error instanceof Error ? error : new Error(String(error))} retry={retry} />
    </Page>
  )
}
