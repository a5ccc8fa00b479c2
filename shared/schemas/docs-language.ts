import { z } from 'zod'
import { canonicalLanguage } from '../text/language-codes.ts'

/** The code of a language in any usual spelling (`de`, `zh_CN`, `pt-br`), as a canonical tag. */
export const DocsLanguage = z
  .string()
  .trim()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/, 'must be the code of a language such as de or zh-CN')
  .overwrite((code) => canonicalLanguage(code) ?? code)
