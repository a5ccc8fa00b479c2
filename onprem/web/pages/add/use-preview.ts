import { useMutation } from '@tanstack/react-query'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { useEffect, useRef } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'

const route = api.parse.preview.$post
export type PreviewRequest = InferRequestType<typeof route>['json']
export type ParsePreview = InferResponseType<typeof route, 200>

/** Previews a repository. The server stops when the preview is cancelled or the page is left. */
export function usePreview(onError: (error: Error) => void) {
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const preview = useMutation({
    mutationFn: (json: PreviewRequest) => {
      stop.current?.abort()
      stop.current = new AbortController()
      return answerOf(api.parse.preview.$post({ json }, { init: { signal: stop.current.signal } }))
    },
    onError,
  })
  return {
    ...preview,
    cancel() {
      preview.reset()
      stop.current?.abort()
    },
  }
}
