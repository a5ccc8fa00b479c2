import { z } from 'zod'

const maxBytes = 1_000

/** The path of a file or folder of this machine in the environment, where no shell has read it. */
export const OwnPath = z
  .string()
  .refine((path) => Buffer.byteLength(path) <= maxBytes, `must have at most ${maxBytes} bytes`)
  .refine((path) => !/^["'`]|["'`]$/.test(path), 'must not be in quotes, which only a shell removes')
  .refine((path) => !/^~(\/|$)/.test(path), 'must not begin with ~, which only a shell replaces: write the whole path')
  .refine((path) => !/\$(\w|\{)/.test(path), 'must not contain a variable, which only a shell replaces: write the whole path')
