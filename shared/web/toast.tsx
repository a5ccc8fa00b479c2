import { lazy, Suspense, useSyncExternalStore } from 'react'
import type { Toast } from './toaster.tsx'

const loadToaster = () => import('./toaster.tsx')
const Toaster = lazy(async () => ({ default: (await loadToaster()).Toaster }))

/** Whether the code of toasts is loaded, which the first page does not need. */
const loaded = { current: false, listener: () => {} }

/** Where toasts appear. The region exists before the first one, so that screen readers announce that one, too. */
export function Toasts() {
  const isLoaded = useSyncExternalStore(
    (listener) => {
      loaded.listener = listener
      return () => {}
    },
    () => loaded.current,
  )
  return (
    <div aria-live="polite">
      <Suspense>{isLoaded && <Toaster />}</Suspense>
    </div>
  )
}

/** Shows and announces the result of an action, over any page. Errors of forms are no toasts: they stay next to the form. */
export async function showToast(toast: Toast): Promise<void> {
  // The server may be away; the action has its result without the toast.
  const toaster = await loadToaster().catch(() => undefined)
  if (!toaster) return
  loaded.current = true
  loaded.listener()
  toaster.showToast(toast)
}
