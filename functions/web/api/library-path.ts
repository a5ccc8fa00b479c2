/** `/owner/repo` as path parameters. */
export function libraryPath(id: string): { owner: string; repo: string } {
  const [, owner = '', repo = ''] = id.split('/')
  return { owner, repo }
}
