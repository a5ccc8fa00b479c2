import { useBlocker } from '@tanstack/react-router'

const question = 'Leave this page? What you changed here is not saved.'

/** Asks before another page opens, or the browser leaves, while a form has changes that are not saved. */
export function useUnsavedChanges(isChanged: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname && !confirm(question),
    enableBeforeUnload: () => isChanged,
    disabled: !isChanged,
  })
}
