import { type RemoteRefs, refAtStart } from '../reading/git/remote-refs.ts'
import type { RepoAddress } from '../reading/git/repo-address.ts'
import type { SourceSettings } from './indexing-catalog.ts'

type Tree = Pick<SourceSettings, 'branch' | 'tree' | 'folders'>

/**
 * The text of an address after `/tree/`. Only the refs of its host tell where a branch with slashes ends and the folder begins.
 */
export const treeOf = ({ branch, folder }: RepoAddress): Pick<Tree, 'branch' | 'tree'> =>
  folder === undefined ? { branch, tree: undefined } : { branch: undefined, tree: `${branch}/${folder}` }

/** The branch of a caller, who thereby says where the folder of `tree` begins. Undefined if `tree` is in no such branch. */
export function splitAt(branch: string, tree: string): Tree | undefined {
  const start = branch.replaceAll('~', '/')
  if (tree === start) return { branch }
  return tree.startsWith(`${start}/`) ? { branch, folders: [tree.slice(start.length + 1)] } : undefined
}

/** Settings with another branch. It wins over the one in `tree`. */
export const withBranch = <S extends Tree>({ tree, ...settings }: S, branch: string): Omit<S, 'tree'> => ({
  ...settings,
  ...((tree !== undefined && splitAt(branch, tree)) || { branch }),
})

/** Splits at the end of the longest branch or tag. Undefined if there is none. */
export function splitTree(remote: RemoteRefs, tree: string): Tree | undefined {
  const branch = refAtStart(remote, tree)
  return branch === undefined ? undefined : splitAt(branch, tree)
}
