import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Focuses the field with this id if the address of the page names it. */
export function useLinkedField(id: string): void {
  const hash = useLocation({ select: (location) => location.hash })
  useEffect(() => {
    if (hash === id) document.getElementById(id)?.focus()
  }, [hash, id])
}
