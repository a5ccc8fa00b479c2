import { lazyRouteComponent as routerPage } from '@tanstack/react-router'
import { lazy } from 'react'
import { serverAway } from './api/server-away.ts'

/** Attempts that reach the server: its files may be those of another version, which only a reload finds. */
const maxAttempts = 3
const pauseMs = 2_000

/** A part of a page whose code is loaded when it is drawn. While the server is away, its fallback stays. */
export const lazyPart: typeof lazy = (load) => lazy(() => whenReachable(load))

/** A page whose code is loaded when it is opened. While the server is away, the page before it stays. */
export const lazyRouteComponent: typeof routerPage = (load, name) => routerPage(() => whenReachable(load), name)

async function whenReachable<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let attempts = 0; ; ) {
    try {
      return await load()
    } catch (error) {
      if (!(await isServerThere())) serverAway.set(true)
      else if (++attempts === maxAttempts) throw error
    }
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

const isServerThere = (): Promise<boolean> =>
  fetch(location.href, { method: 'HEAD' }).then(
    () => true,
    () => false,
  )
