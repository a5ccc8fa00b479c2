/** The advice for callers of the API if a library is missing; the command line shows its own commands instead. */
export const addAdvice = {
  emptyInstall: 'Add its repository.',
  noMatch: 'Try its full name, its package name or owner/repo; it may also not have been added yet.',
  notHere: 'Search for its name, or add its repository.',
  notAllowed: 'An admin can add an exception, or add the library from its repository.',
  nowhere: 'Search for its name, or add its repository.',
} as const
