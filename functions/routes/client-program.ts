import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { AppError } from '../../shared/errors.ts'

/** `clientProgram` is the path of the program that sets up AI clients, in one file. */
export const clientProgramRoutes = ({ clientProgram }: { clientProgram: string }) =>
  new Hono().get('/cli.mjs', async (c) => {
    const program = await readFile(clientProgram, 'utf8').catch(() => undefined)
    if (program === undefined)
      throw new AppError('not_found', 'This deployment was built without cli.mjs. Run: npm run build:web')
    return c.body(program, 200, { 'content-type': 'text/javascript; charset=utf-8' })
  })
