import type { z } from 'zod'
import type { Change } from '../access/audit.ts'

/** The change that an operation makes, for its audit entry. Throws team_not_found, library_not_found: then it is not run. */
type Describe<Ports, Input> = (ports: Ports, input: Input) => Promise<Omit<Change, 'who' | 'what'>>

export type Operation<Ports> = {
  input: z.ZodType
  run(ports: Ports, input: never, who: string): Promise<unknown>
  /** Absent if it changes nothing. */
  describe?: Describe<Ports, never>
}

/** Two kinds of operations over the same ports. */
export const operationsOver = <Ports>() => ({
  reading: <Schema extends z.ZodType>(
    input: Schema,
    run: (ports: Ports, input: z.output<Schema>) => Promise<unknown>,
  ): Operation<Ports> => ({ input, run }),
  changing: <Schema extends z.ZodType>(
    input: Schema,
    describe: Describe<Ports, z.output<Schema>>,
    run: (ports: Ports, input: z.output<Schema>, who: string) => Promise<unknown>,
  ): Operation<Ports> => ({ input, run, describe }),
})
