import type { ReactNode } from 'react'
import { Toasts } from './toast.tsx'

/** Any page and the toasts over it, which can link to pages. */
export const WithToasts = ({ children }: { children?: ReactNode }) => (
  <>
    {children}
    <Toasts />
  </>
)
