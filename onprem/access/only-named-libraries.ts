import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { LibraryPattern } from '../accounts/library-pattern.ts'
import type { CallerEnv } from './caller.ts'

const Named = z.array(LibraryPattern).min(1).max(100)

/** Narrows a connection to `?libraries=/acme/kit,/acme/docs-*`: others do not exist for it. */
export const onlyNamedLibraries = () =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const named = c.req.queries('libraries')
    if (named) {
      const { data, error } = Named.safeParse(named.flatMap((each) => each.split(',')))
      if (!data) {
        const message = `libraries ${error.issues[0]?.message ?? 'is invalid'}; separate several by commas.`
        throw new AppError('validation_error', message, { fields: { fields: [{ path: 'libraries', message }] } })
      }
      c.set('caller', { ...c.get('caller'), only: data })
    }
    await next()
  })
